// Subgroups with intervals, worst first; and shares in training and in the given rows.

const MOST_GROUPS = 15;

/** A value with its interval, on a track. */
function spread(share, [value, low, high], style = "") {
  return [
    make("span", { class: "span", style: `left:${100 * share(low)}%;width:${100 * (share(high) - share(low))}%` }),
    make("span", { class: `point ${style}`, style: `left:${100 * share(value)}%` }),
  ];
}

figures.verdict = (box, data) => {
  const known = data.bars.map((own) => ({ ...own, of: own.of.map((value, _, all) => value ?? all[0]) }));
  const [low, high] = extent(known.flatMap((own) => own.of), 0.04);
  const share = linear(low, high, 0, 1);
  box.append(make("div", { class: "rows" }, ...known.map((own, at) =>
    row(at ? own.name : make("strong", {}, own.name), spread(share, own.of, at ? "plain" : "ours"),
      data.percentage ? percent(own.of[0]) : format(own.of[0])))));
};

figures.subgroups = (box, data) => {
  let [metric, column, all] = [0, 0, false];
  const columns = [...new Set(data.groups.map((group) => group.column))].sort();
  const more = make("button", {
    type: "button", on: { click: () => { all = !all; show(); } },
  });
  const list = make("div", { class: "rows" });
  const note = make("p", { class: "hint" });
  box.append(
    make("div", { class: "controls" },
      chooser("Metric", data.metrics.map((own) => own.name), 0, (place) => { metric = place; show(); }),
      chooser("Column", ["all columns", ...columns], 0, (place) => { column = place; show(); })),
    list, note, more);

  function show() {
    const own = data.metrics[metric];
    const text = own.percentage ? percent : format;
    const bad = (group) => {
      const [, low, high] = group.of[metric];
      return own.higher ? -high : low;
    };
    const found = data.groups
      .filter((group) => group.of[metric][0] !== null)
      .filter((group) => column === 0 || group.column === columns[column - 1])
      .sort((a, b) => bad(b) - bad(a));
    const shown = all ? found : found.slice(0, MOST_GROUPS);
    const [low, high] = extent([own.whole, ...shown.flatMap((group) => group.of[metric])], 0.03);
    const share = linear(low, high, 0, 1);
    list.replaceChildren(...shown.map((group) => {
      const [value, from, to] = group.of[metric];
      const surely = own.higher ? [to < own.whole, from > own.whole] : [from > own.whole, to < own.whole];
      const style = surely[0] ? "worse" : surely[1] ? "better" : "";
      const count = `${group.rows.toLocaleString("en")} rows`;
      const line = row([`${group.column} ${group.value}`, make("small", {}, count)], [
        make("span", { class: "rule", style: `left:${100 * share(own.whole)}%` }),
        ...spread(share, [value, from, to], style),
      ], text(value));
      line.title = `${text(from)} to ${text(to)}`;
      return line;
    }));
    note.textContent =
      `The dashed line is ${own.name} of all rows, ${text(own.whole)}. Red groups are surely worse, ` +
      "green ones surely better: their 95 % interval is all on one side.";
    more.hidden = found.length <= MOST_GROUPS;
    more.textContent = all ? "Show the worst only" : `Show all ${found.length}`;
  }
  show();
};

figures.drift = (box, data) => {
  box.append(legend([["training", "grey"], ["these rows", "accent"]]));
  const multiples = make("div", { class: "multiples" });
  for (const column of data.columns) {
    const most = Math.max(...column.training, ...column.given, 1e-9);
    const list = make("div", { class: "rows" });
    column.texts.forEach((text, at) => {
      list.append(row(shorten(text, 28), [
        bar(0, column.training[at] / most, "first"), bar(0, column.given[at] / most, "second"),
      ], percent(column.given[at])));
    });
    multiples.append(make("div", {},
      make("h4", {}, `${column.name}, drift ${column.index.toFixed(2)}`), list));
  }
  box.append(multiples);
};
