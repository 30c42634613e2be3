// Curves of training, of ranking and calibration, and of errors.

const UNIT = { low: 0, high: 1, share: true };

/** The class that figures of one class against the rest are about; all of them change together. */
const ofClass = { place: 0, cut: 0.5, listeners: [] };

function tellOthers() {
  for (const listener of ofClass.listeners) listener();
}

/** A figure of one class, with a list of classes where there are several. */
function classFigure(box, data, paint) {
  const controls = make("div", { class: "controls" });
  const fill = () => controls.replaceChildren(
    chooser("Class", data.labels, ofClass.place, (place) => {
      ofClass.place = place;
      tellOthers();
    }));
  if (data.labels.length > 1) box.append(controls);
  fill();
  const again = drawn(box, (place, width) =>
    paint(place, width, data.classes[ofClass.place], data.labels[ofClass.place]));
  ofClass.listeners.push(() => {
    fill();
    again();
  });
}

figures.learning = (box, data) => {
  let shown = data.shown;
  const controls = make("div", { class: "controls" },
    chooser("Metric", data.metrics.map((metric) => metric.name), shown, (place) => {
      shown = place;
      again();
    }));
  if (data.metrics.length > 1) box.append(controls);
  const again = drawn(box, (place, width) => {
    const { name, series } = data.metrics[shown];
    place.append(legend(series.map((own, number) => [own.name, SERIES[number % 5]])));
    const [low, high] = heart(series);
    const [first, last] = extent(series.flatMap((own) => own.x));
    const chart = plot(place, width, Math.min(380, 180 + width / 4),
      { low: first, high: last, label: "trees" }, { low, high, label: name });
    if (data.best !== null) {
      const x = chart.toX(data.best);
      draw(chart.svg, "line", {
        class: "dashed", x1: x, x2: x, y1: chart.edge.top, y2: chart.height - chart.edge.bottom,
      });
      const before = x > width * 0.7;
      draw(chart.svg, "text", {
        x: x + (before ? -6 : 6), y: chart.edge.top + 12, "text-anchor": before ? "end" : "start",
      }, `best: tree ${data.best.toLocaleString("en")}`);
    }
    series.forEach((own, number) => curve(chart, own.x,
      own.y.map((value) => (value >= low && value <= high ? value : null)), `s${number % 5}`));
    const longest = series.reduce((a, b) => (a.x.length >= b.x.length ? a : b));
    tellNearest(chart, longest.x.map((x) => [chart.toX(x), 0]), (at) =>
      [`tree ${longest.x[at].toLocaleString("en")}`]
        .concat(series.map((own) => {
          const where = own.x.indexOf(longest.x[at]);
          return where < 0 ? "" : `${own.name}: ${format(own.y[where])}`;
        }).filter(Boolean)).join("\n"), true);
  });
};

/** The range of the values without the first trees, whose steep way would flatten all others. */
function heart(series) {
  const later = series.flatMap((own) => own.y.slice(Math.floor(own.y.length * 0.04)));
  return extent(later, 0.05);
}

/** The point of a curve whose threshold is nearest to the chosen one. */
function atCut(chart, own) {
  let best = 0;
  own.cut.forEach((cut, place) => {
    if (Math.abs(cut - ofClass.cut) < Math.abs(own.cut[best] - ofClass.cut)) best = place;
  });
  draw(chart.svg, "circle", {
    class: "here-point", cx: chart.toX(own.x[best]), cy: chart.toY(own.y[best]), r: 5,
  });
}

const square = (width) => Math.min(width * 0.85, 400);

figures.roc = (box, data) => {
  classFigure(box, data, (place, width, own) => {
    const chart = plot(place, width, square(width), { ...UNIT, label: "false alarms, of all negatives" },
      { ...UNIT, label: "found, of all positives" });
    curve(chart, [0, 1], [0, 1], "dashed");
    curve(chart, own.x, own.y, "s0");
    atCut(chart, own);
    draw(chart.svg, "text", {
      class: "strong", x: width - 20, y: chart.height - 60, "text-anchor": "end",
    }, `area ${percent(own.area)}`);
    tellNearest(chart, own.x.map((x, at) => [chart.toX(x), chart.toY(own.y[at])]), (at) =>
      `threshold ${format(own.cut[at])}\nfound ${percent(own.y[at])}\nfalse alarms ${percent(own.x[at])}`);
  });
  box.append(make("p", { class: "hint" },
    "The circle is the threshold that is chosen above; the dashed line is guessing."));
};

figures.precision = (box, data) => {
  classFigure(box, data, (place, width, own) => {
    const chart = plot(place, width, square(width), { ...UNIT, label: "recall" },
      { ...UNIT, label: "precision" });
    curve(chart, [0, 1], [own.share, own.share], "dashed");
    curve(chart, own.x, own.y, "s1");
    atCut(chart, own);
    draw(chart.svg, "text", { class: "strong", x: chart.edge.left + 12, y: chart.height - 60 },
      `average precision ${percent(own.average)}`);
    tellNearest(chart, own.x.map((x, at) => [chart.toX(x), chart.toY(own.y[at])]), (at) =>
      `threshold ${format(own.cut[at])}\nprecision ${percent(own.y[at])}\nrecall ${percent(own.x[at])}`);
  });
  box.append(make("p", { class: "hint" },
    "Precision: how many of the called are right. Recall: how many are found."));
};

/** Points with intervals, next to the diagonal. */
function againstDiagonal(chart, own, ends) {
  curve(chart, ends, ends, "dashed");
  own.predicted.forEach((x, at) => {
    draw(chart.svg, "line", {
      class: "curve s1", x1: chart.toX(x), x2: chart.toX(x), y1: chart.toY(own.low[at]),
      y2: chart.toY(own.high[at]),
    });
  });
  curve(chart, own.predicted, own.observed, "s1");
  own.predicted.forEach((x, at) =>
    draw(chart.svg, "circle", { class: "f1", cx: chart.toX(x), cy: chart.toY(own.observed[at]), r: 4 }));
}

figures.calibration = (box, data) => {
  classFigure(box, data, (place, width, own, label) => {
    const chart = plot(place, width, square(width), { ...UNIT, label: "predicted probability" },
      { ...UNIT, label: `share that is ${label}` });
    againstDiagonal(chart, own, [0, 1]);
    tellNearest(chart, own.predicted.map((x, at) => [chart.toX(x), chart.toY(own.observed[at])]), (at) =>
      `predicted ${percent(own.predicted[at])}\nobserved ${percent(own.observed[at])} ` +
      `(${percent(own.low[at])} to ${percent(own.high[at])})`);
  });
  box.append(make("p", { class: "hint" },
    "Ten groups of rows by their probability. On the dashed line, predictions come true as often " +
    "as they say; bars are 95 % intervals."));
};

figures.probabilities = (box, data) => {
  classFigure(box, data, (place, width, own, label) => {
    place.append(legend([[`is ${label}`, "accent"], ["is not", "grey"]]));
    const n = own.positive.length;
    const most = Math.max(...own.positive.map((count, at) => Math.sqrt(count + own.negative[at])));
    const chart = plot(place, width, square(width) - 24, { ...UNIT, label: "predicted probability" },
      { low: 0, high: most, bare: true, label: "rows (square root)" }, 32);
    const wide = chart.toX(1 / n) - chart.toX(0) - 1;
    for (let at = 0; at < n; at++) {
      const [yes, all] = [own.positive[at], own.positive[at] + own.negative[at]];
      const top = chart.toY(Math.sqrt(all));
      const bottom = chart.toY(0);
      const part = all ? ((bottom - top) * yes) / all : 0;
      const x = chart.toX(at / n);
      draw(chart.svg, "rect", {
        x, y: top, width: wide, height: Math.max(0, bottom - top - part), fill: "var(--grey)",
      });
      draw(chart.svg, "rect", { class: "f0", x, y: bottom - part, width: wide, height: part });
    }
    const x = chart.toX(ofClass.cut);
    draw(chart.svg, "line", { class: "dashed", x1: x, x2: x, y1: chart.edge.top, y2: chart.toY(0) });
    tellNearest(chart, own.positive.map((_, at) => [chart.toX((at + 0.5) / n), 0]), (at) =>
      `${percent(at / n, 0)} to ${percent((at + 1) / n, 0)}\nis ${label}: ${format(own.positive[at])}` +
      `\nis not: ${format(own.negative[at])}`, true);
  });
  box.append(make("p", { class: "hint" },
    "Rows at both ends are decided; those in the middle are where the model hesitates."));
};

// ---- numbers ----------------------------------------------------------------------------------

figures.scatter = (box, data) => {
  drawn(box, (place, width) => {
    const [low, high] = extent([...data.x, ...data.y], 0.03);
    const chart = plot(place, width, square(width), { low, high, label: "predicted" },
      { low, high, label: "true" });
    curve(chart, [low, high], [low, high], "dashed");
    const points = data.x.map((x, at) => [chart.toX(x), chart.toY(data.y[at])]);
    dots(chart.svg, points, "d0", 4);
    chart.svg.querySelector(".dots").style.opacity = 0.45;
    tellNearest(chart, points, (at) =>
      `row ${data.row[at]}\npredicted ${format(data.x[at])}\ntrue ${format(data.y[at])}`);
  });
  if (data.row.length < data.all) {
    box.append(make("p", { class: "hint" },
      `${data.row.length.toLocaleString("en")} of ${data.all.toLocaleString("en")} rows, at random.`));
  }
};

figures.groups = (box, data) => {
  drawn(box, (place, width) => {
    const [low, high] = extent([...data.predicted, ...data.low, ...data.high], 0.04);
    const chart = plot(place, width, square(width), { low, high, label: "mean prediction" },
      { low, high, label: "mean truth" });
    againstDiagonal(chart, data, [low, high]);
    tellNearest(chart, data.predicted.map((x, at) => [chart.toX(x), chart.toY(data.observed[at])]), (at) =>
      `predicted ${format(data.predicted[at])}\ntrue ${format(data.observed[at])} ` +
      `(${format(data.low[at])} to ${format(data.high[at])})`);
  });
  box.append(make("p", { class: "hint" },
    "Ten groups of rows by their prediction. Above the dashed line predictions are too low, below it too high."));
};

figures.errors = (box, data) => {
  drawn(box, (place, width) => {
    const n = data.counts.length;
    const chart = plot(place, width, Math.min(300, 160 + width / 8),
      { low: data.edges[0], high: data.edges[n], label: "error: truth minus prediction" },
      { low: 0, high: Math.max(...data.counts), label: "rows" });
    data.counts.forEach((count, at) => {
      const [x, end] = [chart.toX(data.edges[at]), chart.toX(data.edges[at + 1])];
      draw(chart.svg, "rect", {
        class: "f1", x, y: chart.toY(count), width: Math.max(end - x - 1, 1),
        height: chart.toY(0) - chart.toY(count),
      });
    });
    tellNearest(chart, data.counts.map((_, at) =>
      [chart.toX((data.edges[at] + data.edges[at + 1]) / 2), 0]), (at) =>
      `${format(data.edges[at])} to ${format(data.edges[at + 1])}\n${format(data.counts[at])} rows`, true);
  });
  box.append(make("p", { class: "hint" },
    "The middle 99 % of the errors; those beyond are counted in the outermost bars."));
};
