// SHAP values: importances, a swarm of rows, dependence, interactions, one row as a waterfall.

const N_COLOURS = 5;
const CATEGORY_COLOURS = ["second", "accent", "third", "fourth", "bad"];  // .c0 to .c4
const MOST_SWARM_ROWS = 600;
const MOST_SWARM_COLUMNS = 12;

/** What the figures of this section are drawn from, unpacked when the first of them is. */
let unpacked = null;
function explained() {
  if (unpacked) return unpacked;
  const values = read(shared.values);
  const columns = shared.columns.map((column) => ({
    name: column.name,
    texts: column.texts,
    holds: column.holds,
    values: column.texts ? read(column.codes) : read(column.numbers),
  }));
  const nColumns = columns.length + (shared.rest ? 1 : 0);
  const nOutputs = shared.outputs.length;
  for (const column of columns) column.colours = column.texts ? null : colours(column.values);
  unpacked = {
    columns,
    nColumns,
    add: (row, column, output) =>
      values[(row * nColumns + column) * nOutputs + output] * shared.scale,
    base: shared.base,
    text: (row, column) => {
      const own = columns[column];
      return own.texts ? own.texts[own.values[row]] : Number.isNaN(own.values[row])
        ? "missing" : own.holds ? timeText(own.holds, own.values[row]) : format(own.values[row]);
    },
  };
  return unpacked;
}

/** Which of five colours each number has: by rank, so that outliers do not take them all. */
function colours(values) {
  const sorted = Float64Array.from(values).filter((value) => !Number.isNaN(value)).sort();
  const edges = [];
  for (let at = 1; at < N_COLOURS; at++) edges.push(sorted[Math.floor((at * sorted.length) / N_COLOURS)]);
  return Array.from(values, (value) =>
    Number.isNaN(value) ? -1 : edges.filter((edge) => value > edge).length);
}

const colourClass = (number) => (number < 0 ? "dn" : `d${number}`);

/** The class whose values are shown; those of all figures change together. */
const output = { place: 0, listeners: [] };
const adding = () => (shared.outputs.length > 1 ? `adds to ${shared.outputs[output.place]}` : "adds to the prediction");

function outputFigure(box, paint) {
  const controls = make("div", { class: "controls" });
  const fill = () => controls.replaceChildren(
    chooser("Class", shared.outputs, output.place, (place) => {
      output.place = place;
      for (const listener of output.listeners) listener();
    }));
  if (shared.outputs.length > 1) box.append(controls);
  fill();
  const again = drawn(box, paint);
  output.listeners.push(() => {
    fill();
    again();
  });
  return again;
}

figures.importances = (box) => {
  const list = make("div", { class: "rows" });
  const most = Math.max(...shared.importances);
  shared.columns.slice(0, 15).forEach((column, at) => {
    list.append(row(column.name, [bar(0, shared.importances[at] / (most || 1))],
      percent(shared.share[at])));
  });
  const others = shared.columns.length + shared.rest - 15;
  box.append(list, make("p", { class: "hint" },
    "How much a column moves predictions on average, as a share of all columns." +
    (others > 0 ? ` ${others.toLocaleString("en")} others are below these.` : "")));
};

figures.beeswarm = (box) => {
  box.append(make("div", { class: "legend" },
    make("span", {}, "low value", make("i", { class: "ramp" }), "high value"),
    make("span", {}, make("i", { style: "background:var(--muted)" }), "category or missing")));
  outputFigure(box, (place, width) => {
    const data = explained();
    const rows = shared.kinds.random.slice(0, MOST_SWARM_ROWS);
    const shown = data.columns.slice(0, MOST_SWARM_COLUMNS);
    const narrow = width < 480;
    const [tall, left] = [narrow ? 44 : 32, narrow ? 8 : Math.min(170, width * 0.28)];
    const all = shown.flatMap((_, column) => rows.map((at) => data.add(at, column, output.place)));
    const [low, high] = extent(all, 0.02);
    const height = shown.length * tall + 54;
    const chart = plot(place, width, height, { low, high, label: `what the column ${adding()}` },
      { low: 0, high: 1, bare: true }, left);
    const zero = chart.toX(0);
    draw(chart.svg, "line", { class: "axis", x1: zero, x2: zero, y1: 4, y2: height - 44 });
    shown.forEach((column, place_) => {
      const middle = chart.edge.top + place_ * tall + (narrow ? tall * 0.68 : tall / 2);
      const name = shorten(column.name, narrow ? 40 : left / 7);
      const label = draw(chart.svg, "text", narrow
        ? { x: left, y: middle - tall * 0.38 + 2, class: "strong" }
        : { x: left - 10, y: middle + 4, "text-anchor": "end" }, name);
      draw(label, "title", {}, column.name);
      swarm(chart, rows, place_, middle, narrow ? tall * 0.26 : tall * 0.42);
    });
  });

  /** Points that fall onto the same place go up and down in turn. */
  function swarm(chart, rows, column, middle, most) {
    const data = explained();
    const taken = new Map();
    const points = Array.from({ length: N_COLOURS + 1 }, () => []);
    for (const at of rows) {
      const x = chart.toX(data.add(at, column, output.place));
      const bin = Math.round(x / 2.5);
      const before = taken.get(bin) ?? 0;
      taken.set(bin, before + 1);
      points[(data.columns[column].colours?.[at] ?? -1) + 1].push([x, before, bin]);
    }
    const step = Math.min(2.2, most / (Math.max(...taken.values()) / 2));
    points.forEach((own, colour) =>
      dots(chart.svg, own.map(([x, before]) =>
        [x, middle + (before % 2 ? 1 : -1) * Math.ceil(before / 2) * step]),
      colourClass(colour - 1), 3.2));
  }
};

const shorten = (text, most) =>
  text.length > most ? `${text.slice(0, Math.max(1, Math.floor(most) - 1))}…` : text;

/** The pair that the figure of dependence shows; interactions choose another. */
const dependence = { column: 0, by: -1, again: () => {} };

figures.dependence = (box) => {
  const names = shared.columns.map((column) => column.name);
  const partner = (column) => {
    const pair = shared.pairs.find(([a, b]) => a === column || b === column);
    return pair ? (pair[0] === column ? pair[1] : pair[0]) : -1;
  };
  const controls = make("div", { class: "controls" });
  dependence.by = partner(0);
  function fill() {
    controls.replaceChildren(
      chooser("Column", names, dependence.column, (place) => {
        dependence.column = place;
        dependence.by = partner(place);
        dependence.again();
      }),
      chooser("coloured by", ["nothing", ...names], dependence.by + 1, (place) => {
        dependence.by = place - 1;
        dependence.again();
      }));
  }
  box.append(controls);
  const paint = (place, width) => {
    const data = explained();
    const column = data.columns[dependence.column];
    const by = dependence.by >= 0 ? data.columns[dependence.by] : null;
    place.append(key(by));
    const rows = shared.kinds.random;
    const height = Math.min(420, 220 + width / 5);
    const [low, high] = extent(rows.map((at) => data.add(at, dependence.column, output.place)), 0.05);
    const x = column.texts ? categoryAxis(column, rows, width) : numberAxis(column, rows);
    const chart = plot(place, width, height, x.axis, { low, high, label: adding() });
    if (low < 0 && high > 0) curve(chart, [x.axis.low, x.axis.high], [0, 0], "dashed");
    const chosen = rows.filter((at) => x.of(at) !== null);
    const points = chosen.map((at) =>
      [chart.toX(x.of(at)), chart.toY(data.add(at, dependence.column, output.place))]);
    const groups = Array.from({ length: N_COLOURS + 1 }, () => []);
    chosen.forEach((at, number) => groups[colourOf(by, at) + 1].push(points[number]));
    groups.forEach((own, colour) => dots(chart.svg, own,
      by?.texts && colour ? `c${colour - 1}` : colourClass(colour - 1), 4.2));
    tellNearest(chart, points, (number) => {
      const at = chosen[number];
      const other = by ? `\n${by.name}: ${data.text(at, dependence.by)}` : "";
      return `row ${shared.rows[at]}\n${column.name}: ${data.text(at, dependence.column)}${other}` +
        `\nadds ${signed(data.add(at, dependence.column, output.place))}`;
    });
  };
  const again = outputFigure(box, paint);
  dependence.again = () => {
    fill();
    again();
  };
  fill();
  box.append(make("p", { class: "hint" },
    "Each point is a row. Points of one value that lie apart show that other columns matter, too."));

  function key(by) {
    if (!by) return "";
    if (!by.texts) {
      return make("div", { class: "legend" },
        make("span", {}, `${by.name}: low`, make("i", { class: "ramp" }), "high"));
    }
    const shown = by.texts.slice(0, N_COLOURS);
    return make("div", { class: "legend" }, ...shown.map((text, at) =>
      make("span", {}, make("i", { style: `background:var(--${CATEGORY_COLOURS[at]})` }), shorten(text, 24))),
    by.texts.length > N_COLOURS
      ? make("span", {}, make("i", { style: "background:var(--muted)" }), "others") : "");
  }

  const colourOf = (by, at) => {
    if (!by) return 0;
    if (!by.texts) return by.colours[at];
    return by.values[at] < N_COLOURS ? by.values[at] : -1;
  };

  function numberAxis(column, rows) {
    const known = rows.map((at) => column.values[at]).filter((value) => !Number.isNaN(value));
    const sorted = Float64Array.from(known).sort();
    const [p1, p99] = [sorted[Math.floor(sorted.length * 0.005)], sorted[Math.ceil(sorted.length * 0.995) - 1]];
    const [low, high] = extent(p1 < p99 ? [p1, p99] : known, 0.04);
    const inside = (value) => (value >= low && value <= high ? value : null);
    const year = column.holds === "date" && high - low < 4 ? 5 : 0; // left out where hours are shown
    const texts = column.holds ? (mark) => timeText(column.holds, mark).slice(year) : undefined;
    return { axis: { low, high, label: column.name, texts }, of: (at) => inside(column.values[at]) };
  }

  /** Categories side by side, the most frequent first; points spread inside their own. */
  function categoryAxis(column, rows, width) {
    const most = Math.max(2, Math.min(column.texts.length, Math.floor(width / 72)));
    const marks = Array.from({ length: Math.min(most, column.texts.length) }, (_, at) => at);
    const room = (width - 70) / marks.length / 6.6;
    const spread = (at) => (((at * 7919) % 1000) / 1000 - 0.5) * 0.6;
    return {
      axis: {
        low: -0.5, high: marks.length - 0.5, marks, label:
          column.name + (column.texts.length > marks.length
            ? ` (the ${marks.length} most frequent of ${column.texts.length})` : ""),
        texts: (mark) => shorten(column.texts[mark], room),
      },
      of: (at) => (column.values[at] < marks.length ? column.values[at] + spread(at) : null),
    };
  }
};

figures.interactions = (box) => {
  const most = Math.max(...shared.pairs.map((pair) => pair[2]), 1e-300);
  const texts = aligned(shared.pairs.map((pair) => pair[2]));
  const list = make("div", { class: "rows" });
  for (const [first, second, strength] of shared.pairs) {
    const show = make("button", {
      type: "button",
      on: {
        click: () => {
          [dependence.column, dependence.by] = [first, second];
          dependence.again();
          document.querySelector('[data-kind="dependence"]').scrollIntoView({ block: "center" });
        },
      },
    }, "Show");
    const names = `${shared.columns[first].name} × ${shared.columns[second].name}`;
    list.append(row(names, [bar(0, strength / most)], make("span", {}, `${texts.shift()} `, show)));
  }
  box.append(list, make("p", { class: "hint" },
    `How much two columns add together beyond what each adds by itself, on average (${shared.unit}).`));
};

// ---- one row ----------------------------------------------------------------------------------

figures.waterfall = (box) => {
  const kinds = Object.keys(shared.kinds);
  let [kind, place] = [kinds.includes("worst") ? "worst" : kinds[0], 0];
  let at = shared.kinds[kind][0];
  const buttons = Object.fromEntries(kinds.map((own) => [own, make("button", {
    type: "button", on: { click: () => pick(own, 0) },
  }, own)]));
  const search = make("input", {
    type: "number", min: 0, max: shared.n - 1, "aria-label": "Row number",
    on: { change: () => find(Number(search.value)) },
  });
  const message = make("span", { role: "status" });
  const step = (by, text, label) => make("button", {
    type: "button", "aria-label": label, on: { click: () => pick(kind ?? "random", place + by) },
  }, text);
  box.append(make("div", { class: "controls" },
    make("span", {}, "Rows:"), ...kinds.map((own) => buttons[own]),
    step(-1, "‹", "Previous row"), step(1, "›", "Next row"),
    make("label", {}, "row number", search), message));
  const classes = make("span");
  if (shared.outputs.length > 1) box.append(make("div", { class: "controls" }, classes));
  let shownOutput = 0;
  const again = drawn(box, paint);
  pick(kind, 0);

  function pick(own, number) {
    const rows = shared.kinds[own];
    [kind, place] = [own, (number + rows.length) % rows.length];
    at = rows[place];
    message.textContent = "";
    show();
  }

  function find(number) {
    const found = shared.rows.indexOf(number);
    if (found < 0) {
      message.textContent = number >= 0 && number < shared.n
        ? `row ${number} is not among the ${shared.rows.length.toLocaleString("en")} explained here`
        : `there are rows 0 to ${shared.n - 1}`;
      return;
    }
    [kind, place, at] = [null, 0, found];
    message.textContent = "";
    show();
  }

  function show() {
    for (const own of kinds) buttons[own].setAttribute("aria-pressed", own === kind);
    search.value = shared.rows[at];
    if (shared.outputs.length > 1) {
      const chances = shared.predicted[at];
      explain(chances.indexOf(Math.max(...chances)));
    }
    again();
  }

  /** Of several classes the likeliest is explained, or the one that is asked for. */
  function explain(own) {
    shownOutput = own;
    classes.replaceChildren(chooser("Class", shared.outputs, own, (place_) => {
      explain(place_);
      again();
    }));
  }

  function paint(target, width) {
    const data = explained();
    const narrow = width < 560;
    const adds = Array.from({ length: data.nColumns }, (_, column) =>
      [column, data.add(at, column, shownOutput)]);
    adds.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    const most = narrow ? 9 : 11;
    const [shown, others] = [adds.slice(0, most), adds.slice(most)];
    const rest = others.reduce((sum, own) => sum + own[1], 0);
    const base = data.base[shownOutput];
    let [low, high, now] = [base, base, base];
    for (const [, add] of [...shown, [null, rest]]) {
      now += add;
      [low, high] = [Math.min(low, now), Math.max(high, now)];
    }
    const room = (high - low || 1) * 0.06;
    const share = linear(low - room, high + room, 0, 1);
    target.append(make("p", {}, ...sentence()));
    const list = make("div", { class: "rows" });
    list.append(row("mean prediction", [mark(share(base))], total(base)));
    const texts = aligned([...shown.map((own) => own[1]), rest], true);
    now = base;
    for (const [column, add] of shown) {
      const name = column < data.columns.length ? data.columns[column].name : `${shared.rest} other columns`;
      const value = column < data.columns.length ? data.text(at, column) : "";
      list.append(row([name, make("small", {}, value)],
        [bar(share(now), share(now + add), add >= 0 ? "up" : "down")], texts.shift()));
      now += add;
    }
    if (others.length) {
      list.append(row(`${others.length} other${others.length > 1 ? "s" : ""}`,
        [bar(share(now), share(now + rest), rest >= 0 ? "up" : "down")], texts.shift()));
      now += rest;
    }
    list.append(row(make("strong", {}, "this prediction"), [mark(share(now))],
      make("strong", {}, total(now))));
    target.append(list, make("p", { class: "hint" },
      `Parts of the raw prediction (${shared.unit}): orange bars raise it, blue ones lower it.`));
  }

  /** A raw prediction, and what it means where that is another number. */
  function total(raw) {
    const text = format(Number(raw.toPrecision(3)));
    if (shared.link === "logit") return `${text} (${percent(1 / (1 + Math.exp(-raw)))})`;
    return shared.link === "log" ? `${text} (${format(Math.exp(raw))})` : text;
  }

  const mark = (where) => make("span", { class: "point", style: `left:${100 * where}%` });

  function sentence() {
    const strong = (text) => make("strong", {}, text);
    const row_ = `Row ${shared.rows[at].toLocaleString("en")}: `;
    const predicted = shared.predicted[at];
    if (!shared.classes.length) {
      return [row_, "predicted ", strong(format(predicted)), ", truth ", strong(format(shared.truth[at])), "."];
    }
    const truth = shared.classes[shared.truth[at]];
    const several = shared.outputs.length > 1;
    const label = several ? shared.outputs[shownOutput] : shared.classes[1];
    const chance = several ? predicted[shownOutput] : predicted;
    return [row_, `probability of ${label} is `, strong(percent(chance)), "; it is ", strong(truth), "."];
  }
};
