// One tree at a time: its questions, how they part the training rows, and the leaves.

figures.trees = (box, data) => {
  const [values, weights] = [read(data.values), read(data.weights)];
  const nOutputs = data.outputs.length;
  const starts = [0];
  for (const questions of data.questions) starts.push(starts.at(-1) + 2 ** questions.length);
  const most = { value: 0 };
  let [tree, leaf, shownOutput] = [0, 0, 0];

  const number = make("input", {
    type: "number", min: 1, max: data.questions.length, value: 1,
    on: { change: () => open(Number(number.value) - 1) },
  });
  const step = (by, text, label) => make("button", {
    type: "button", "aria-label": label, on: { click: () => open(tree + by) },
  }, text);
  const slider = make("input", {
    type: "range", min: 0, value: 0, on: { input: () => { leaf = Number(slider.value); again(); } },
  });
  box.append(make("div", { class: "controls" },
    step(-1, "‹", "Previous tree"), make("label", {}, "Tree", number,
      `of ${data.all.toLocaleString("en")}`), step(1, "›", "Next tree"),
    chooser("Class", data.outputs, 0, (place) => { shownOutput = place; again(); }),
    make("label", { class: "grow" }, "Leaf", slider)));
  const again = drawn(box, paint);
  box.append(make("p", { class: "hint" },
    "Widths are shares of the training rows. Each band parts the rows of the band above by its " +
    "question: grey is no, blue is yes. Leaves that raise the prediction are orange, those that lower it blue."));
  open(0);

  function open(wanted) {
    tree = Math.max(0, Math.min(data.questions.length - 1, wanted || 0));
    number.value = tree + 1;
    const n = 2 ** data.questions[tree].length;
    slider.max = n - 1;
    const own = weights.subarray(starts[tree], starts[tree + 1]);
    leaf = own.indexOf(Math.max(...own));
    slider.value = leaf;
    again();
  }

  function paint(place, width) {
    const questions = data.questions[tree];
    const depth = questions.length;
    const own = weights.subarray(starts[tree], starts[tree + 1]);
    const added = (at) => values[(starts[tree] + at) * nOutputs + shownOutput];
    const sizes = widths(own, width);
    most.value = Math.max(...Array.from(own, (_, at) => Math.abs(added(at))), 1e-300);
    questions.forEach((question, level) => {
      const yes = (leaf >> (depth - 1 - level)) & 1;
      place.append(make("div", { class: "question" }, make("b", {}, `${level + 1}.`),
        make("span", {}, `${data.texts[question]} ?`),
        make("span", { class: "answer" }, yes ? "yes" : "no")));
      band(place, width, sizes, depth, level);
    });
    leaves(place, width, sizes, own, added);
    const share = own[leaf] / (own.reduce((sum, weight) => sum + weight, 0) || 1);
    place.append(make("p", { role: "status" }, "The chosen leaf adds ",
      make("strong", {}, signed(added(leaf))), ` for ${percent(share)} of the training rows.`));
  }

  /** Of each leaf: in proportion to its weight, and never too narrow to see. */
  function widths(own, width) {
    const least = Math.min(3, width / own.length / 2);
    const total = own.reduce((sum, weight) => sum + weight, 0);
    if (!total) return Array.from(own, () => width / own.length);
    return Array.from(own, (weight) => least + (weight / total) * (width - least * own.length));
  }

  /** The rows of all nodes of one level, no or yes. */
  function band(place, width, sizes, depth, level) {
    const svg = draw(place, "svg", { viewBox: `0 0 ${width} 16`, width, height: 16, "aria-hidden": "true" });
    const each = sizes.length >> (level + 1);
    const chosen = leaf >> (depth - 1 - level);
    let x = 0;
    for (let node = 0; node < 2 << level; node++) {
      const wide = sizes.slice(node * each, (node + 1) * each).reduce((sum, own) => sum + own, 0);
      draw(svg, "rect", {
        class: `${node % 2 ? "cell-yes" : "cell-no"}${node === chosen ? " chosen" : ""}`,
        x: x + 0.5, y: 1, width: Math.max(wide - 1, 0.5), height: 14, rx: 2,
      });
      x += wide;
    }
  }

  function leaves(place, width, sizes, own, added) {
    const svg = draw(place, "svg", {
      viewBox: `0 0 ${width} 96`, width, height: 96, "aria-hidden": "true", style: "margin-top:.6rem",
    });
    draw(svg, "line", { class: "axis", x1: 0, x2: width, y1: 48, y2: 48 });
    let x = 0;
    sizes.forEach((wide, at) => {
      const tall = (Math.abs(added(at)) / most.value) * 42;
      const up = added(at) >= 0;
      draw(svg, "rect", {
        fill: `var(--${up ? "up" : "down"})`, x: x + 0.5, y: up ? 48 - tall : 48,
        width: Math.max(wide - 1, 0.7), height: Math.max(tall, 0.5),
      });
      const target = draw(svg, "rect", {
        class: `leaf${at === leaf ? " chosen" : ""}`, fill: "transparent", x: x + 0.5, y: 1,
        width: Math.max(wide - 1, 0.7), height: 94, rx: 2,
      });
      target.addEventListener("click", () => {
        leaf = at;
        slider.value = at;
        again();
      });
      x += wide;
    });
  }
};
