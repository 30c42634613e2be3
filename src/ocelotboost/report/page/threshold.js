// A threshold that can be moved, and what it decides.

const N_CUTS = 200;

figures.threshold = (box, data) => {
  const costs = { alarm: 1, miss: 1 };
  const slider = make("input", {
    type: "range", min: 1, max: N_CUTS - 1, value: N_CUTS / 2, "aria-label": "Threshold",
    on: { input: () => choose(Number(slider.value)) },
  });
  const shown = make("output");
  const cost = (kind, text) => make("label", {}, text, make("input", {
    type: "number", min: 0, step: "any", value: 1,
    on: {
      input: (event) => {
        costs[kind] = Math.max(0, Number(event.target.value) || 0);
        show();
      },
    },
  }));
  const cheapest = make("button", { type: "button", on: { click: () => choose(best()) } },
    "Cheapest threshold");
  const classes = make("span");
  box.append(
    make("div", { class: "controls" }, data.labels.length > 1 ? classes : "",
      make("label", { class: "grow" }, "Threshold", slider, shown)),
    make("div", { class: "controls" }, cost("alarm", "Cost of a false alarm"),
      cost("miss", "of a miss"), cheapest));
  const matrix = make("div", { class: "confusion", role: "group", "aria-label": "Confusion matrix" });
  const facts = make("dl", { class: "facts" });
  box.append(make("div", { class: "two" }, matrix, facts),
    make("p", { class: "hint" },
      "Rows whose probability is at least the threshold are called positive. Costs are in your " +
      "own unit; correct calls cost nothing."));

  /** Hits, false alarms, misses and correct rejections at a threshold. */
  function counts(at) {
    const own = data.classes[ofClass.place];
    const [hits, alarms] = [own.hits[at - 1], own.false[at - 1]];
    return { hits, alarms, misses: own.positive - hits, passed: own.negative - alarms };
  }

  const expected = (own) => costs.alarm * own.alarms + costs.miss * own.misses;

  function best() {
    let found = 1;
    for (let at = 1; at < N_CUTS; at++) {
      if (expected(counts(at)) < expected(counts(found))) found = at;
    }
    return found;
  }

  function choose(at) {
    slider.value = at;
    ofClass.cut = at / N_CUTS;
    tellOthers();
  }

  function show() {
    const own = counts(Number(slider.value));
    const label = data.labels[ofClass.place];
    const all = own.hits + own.alarms + own.misses + own.passed;
    shown.textContent = ofClass.cut.toFixed(3);
    const cell = (style, value, text) =>
      make("div", { class: style }, make("b", {}, format(value)), text);
    const head = (style, text) => make("div", { class: style }, text);
    matrix.replaceChildren(
      head("side", ""), head("top", `called ${label}`), head("top", `called ${data.other}`),
      head("side", `is ${label}`), cell("right", own.hits, "hits"), cell("wrong", own.misses, "misses"),
      head("side", `is ${data.other}`), cell("wrong", own.alarms, "false alarms"),
      cell("right", own.passed, "correctly passed"));
    const fact = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value));
    facts.replaceChildren(
      fact("precision", percent(own.hits / (own.hits + own.alarms))),
      fact("recall", percent(own.hits / (own.hits + own.misses))),
      fact("accuracy", percent((own.hits + own.passed) / all)),
      fact("false alarms, of negatives", percent(own.alarms / (own.alarms + own.passed))),
      fact("called positive", percent((own.hits + own.alarms) / all)),
      fact("expected cost per 1,000 rows", format((1000 * expected(own)) / all)));
  }

  function fill() {
    classes.replaceChildren(chooser("Class", data.labels, ofClass.place, (place) => {
      ofClass.place = place;
      tellOthers();
    }));
    show();
  }
  ofClass.listeners.push(fill);
  fill();
};
