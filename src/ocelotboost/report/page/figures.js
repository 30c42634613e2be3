// What all figures share: data, elements, scales, axes, tooltips.

const page = JSON.parse(document.getElementById("report-data").textContent);
const shared = page.shared;

/** What draws a figure, by its kind: (box, data) => nothing. */
const figures = {};

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int16: Int16Array, uint16: Uint16Array,
};

/** The array that `packed` in figures.py made a text of. */
function read(packed) {
  const bytes = Uint8Array.from(atob(packed.bytes), (letter) => letter.charCodeAt(0));
  return new ARRAYS[packed.dtype](bytes.buffer);
}

// ---- elements ---------------------------------------------------------------------------------

/** An HTML element; `on` holds its listeners, other attributes are set as they are. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value !== false && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children);
  return element;
}

/** An SVG element inside another. */
function draw(parent, tag, attributes = {}, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

/** A list to choose from; nothing when there is nothing to choose. */
function chooser(label, options, chosen, change) {
  if (options.length < 2) return "";
  const list = make("select", { on: { change: (event) => change(Number(event.target.value)) } });
  options.forEach((option, place) => {
    list.append(make("option", { value: place, selected: place === chosen && "" }, String(option)));
  });
  list.value = chosen;
  return make("label", {}, label, list);
}

/** Draw now, and again whenever the width changes. Returns a function that draws again. */
function drawn(box, paint) {
  const place = make("div");
  box.append(place);
  let width = 0;
  const again = () => {
    place.replaceChildren();
    paint(place, Math.max(width, 240));
  };
  new ResizeObserver((entries) => {
    const found = Math.round(entries[0].contentRect.width);
    if (found && found !== width) {
      width = found;
      again();
    }
  }).observe(box);
  return () => width && again();
}

// ---- numbers ----------------------------------------------------------------------------------

function format(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-4) return value.toExponential(1);
  const digits = size >= 1000 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(size || 1)));
  return value
    .toLocaleString("en", { maximumFractionDigits: Math.min(digits, 6) })
    .replace("-", "−");
}

/** What a number of a column means that holds dates, times of day or durations. */
function timeText(holds, value) {
  const iso = (days) => new Date(Math.round(days * 86400) * 1000).toISOString();
  if (holds === "duration") return `${format(value)} days`;
  if (holds === "time") return iso(value / 24).slice(11, 16);
  if (Math.abs(value) > 1e8) return `day ${format(value)}`;
  const [date, clock] = iso(value).split("T");
  return clock.startsWith("00:00") ? date : `${date} ${clock.slice(0, 5)}`;
}

/** A share; those next to none and all are not rounded to them. */
function percent(share, digits = 1) {
  if (share === null || Number.isNaN(share)) return "–";
  const least = 0.5 * 10 ** -(digits + 2);
  if (share > 0 && share < least) return `<\u00a0${(200 * least).toFixed(digits)}\u00a0%`;
  if (share < 1 && share > 1 - least) return `>\u00a0${(100 - 200 * least).toFixed(digits)}\u00a0%`;
  return `${(100 * share).toFixed(digits)}\u00a0%`;
}

const signed = (value) => (value >= 0 ? "+" : "") + format(value);

/** Numbers of one list with as many digits as the largest of them asks for. */
function aligned(values, plus = false) {
  const most = Math.max(...values.map(Math.abs), 1e-300);
  const digits = Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(most))));
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return values.map((value) =>
    ((plus && value >= 0 ? "+" : "") + value.toLocaleString("en", options)).replace("-", "−"));
}

const linear = (low, high, from, to) => (value) =>
  from + ((value - low) / (high - low || 1)) * (to - from);

/** Round numbers between two ends. */
function ticks(low, high, about) {
  const rough = (high - low) / Math.max(about, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * power).find((own) => own >= rough);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) {
    found.push(Math.abs(value) < step * 1e-9 ? 0 : value);
  }
  return found;
}

/** Tick labels that fit the distance between the ticks. */
function tickText(value, marks, share) {
  const step = marks.length > 1 ? marks[1] - marks[0] : 1;
  const scaled = share ? 100 * step : step;
  let digits = 0;  // as many as the step has
  while (digits < 8 && Math.abs(scaled * 10 ** digits - Math.round(scaled * 10 ** digits)) > 1e-6) {
    digits += 1;
  }
  const text = (share ? 100 * value : value)
    .toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace("-", "−");
  return share ? `${text}\u00a0%` : text;
}

// ---- axes -------------------------------------------------------------------------------------

/** An SVG with axes. x and y: { low, high, label, share }; a bare y has no ticks, but a margin. */
function plot(place, width, height, x, y, left = 0) {
  const yMarks = y.bare ? [] : ticks(y.low, y.high, height / 55);
  const yTexts = yMarks.map((mark) => tickText(mark, yMarks, y.share));
  const longest = Math.max(0, ...yTexts.map((text) => text.length));
  const edge = { left: y.bare ? left : 34 + 6.8 * longest, right: 14, top: 10, bottom: 44 };
  const svg = draw(place, "svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true",
  });
  const toX = linear(x.low, x.high, edge.left, width - edge.right);
  const toY = linear(y.low, y.high, height - edge.bottom, edge.top);
  yMarks.forEach((mark, at) => {
    draw(svg, "line", {
      class: "grid", x1: edge.left, x2: width - edge.right, y1: toY(mark), y2: toY(mark),
    });
    draw(svg, "text", { x: edge.left - 8, y: toY(mark) + 4, "text-anchor": "end" }, yTexts[at]);
  });
  const marks = x.marks ?? ticks(x.low, x.high, (width - edge.left) / 85);
  for (const mark of marks) {
    draw(svg, "line", {
      class: "axis", x1: toX(mark), x2: toX(mark), y1: height - edge.bottom,
      y2: height - edge.bottom + 5,
    });
    draw(svg, "text", { x: toX(mark), y: height - edge.bottom + 19, "text-anchor": "middle" },
      x.texts ? x.texts(mark) : tickText(mark, marks, x.share));
  }
  draw(svg, "line", {
    class: "axis", x1: edge.left, x2: width - edge.right, y1: height - edge.bottom,
    y2: height - edge.bottom,
  });
  if (x.label) {
    draw(svg, "text", {
      x: (edge.left + width - edge.right) / 2, y: height - 6, "text-anchor": "middle",
    }, x.label);
  }
  if (y.label) {
    const middle = (edge.top + height - edge.bottom) / 2;
    draw(svg, "text", {
      transform: `translate(12 ${middle}) rotate(-90)`, "text-anchor": "middle",
    }, y.label);
  }
  return { svg, toX, toY, edge, width, height };
}

/** A line through points; null values break it. */
function curve(chart, xs, ys, style) {
  let path = "";
  let broken = true;
  xs.forEach((x, place) => {
    if (ys[place] === null) {
      broken = true;
      return;
    }
    path += `${broken ? "M" : "L"}${chart.toX(x).toFixed(1)} ${chart.toY(ys[place]).toFixed(1)}`;
    broken = false;
  });
  return draw(chart.svg, "path", { class: `curve ${style}`, d: path });
}

/** Points as strokes of no length: one element for as many as share a colour. */
function dots(svg, points, style, size) {
  if (!points.length) return;
  const path = points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("");
  draw(svg, "path", { class: `dots ${style}`, d: path, "stroke-width": size });
}

function extent(values, room = 0) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  if (low === high) return [low - 1, high + 1];
  return [low - room * (high - low), high + room * (high - low)];
}

function legend(entries) {
  return make("div", { class: "legend" },
    ...entries.map(([text, colour]) =>
      make("span", {}, make("i", { style: `background:var(--${colour})` }), text)));
}

const SERIES = ["accent", "second", "third", "fourth", "grey"];

// ---- tooltips ---------------------------------------------------------------------------------

const tip = make("div", { id: "tip", hidden: "", role: "status" });
document.body.append(tip);

function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, window.innerWidth - width - 8);
  const above = event.clientY - height - 12;
  tip.style.left = `${Math.max(8, x)}px`;
  tip.style.top = `${above > 4 ? above : event.clientY + 16}px`;
}

/** Tell of the nearest point, where there is one within reach. */
function tellNearest(chart, points, tell, onlyX = false) {
  const scale = () => chart.svg.getBoundingClientRect().width / chart.width || 1;
  chart.svg.addEventListener("pointermove", (event) => {
    const box = chart.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / scale();
    const y = (event.clientY - box.top) / scale();
    let best = -1;
    let least = onlyX ? Infinity : 24 ** 2;
    points.forEach(([px, py], place) => {
      const distance = (px - x) ** 2 + (onlyX ? 0 : (py - y) ** 2);
      if (distance < least) [best, least] = [place, distance];
    });
    if (best < 0) tip.hidden = true;
    else showTip(event, tell(best));
  });
  chart.svg.addEventListener("pointerleave", () => (tip.hidden = true));
}

/** A row of a label, a track and a value. */
function row(label, track, value) {
  return make("div", { class: "row" },
    make("div", { class: "label" }, ...[label].flat()),
    make("div", { class: "track" }, ...track),
    make("div", { class: "value" }, value));
}

/** A bar between two shares of its track. */
function bar(from, to, style = "") {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  return make("span", {
    class: `fill ${style}`, style: `left:${100 * low}%;width:${100 * (high - low)}%`,
  });
}
