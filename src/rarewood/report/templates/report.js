(() => {
  const data = JSON.parse(document.getElementById("moving").textContent);
  const find = (id) => document.getElementById(id);
  const slider = find("threshold");
  const typed = find("threshold-value");
  const costs = { falseAlarm: find("cost-false-alarm"), miss: find("cost-miss") };
  const last = data.threshold.length - 1;

  // numbers, as the page writes them
  const grouped = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const count = (value) => grouped(String(value));
  const percent = (value) => (value === null ? "–" : (100 * value).toFixed(1) + "\u00a0%");
  const decimal = (value, digits) => {
    const [whole, rest] = value.toFixed(digits).split(".");
    return grouped(whole) + (rest ? "." + rest : "");
  };
  const cut = (value) => (value === 0 || value >= 0.001 ? decimal(value, 4) : value.toExponential(1));
  const money = (value) => decimal(value, Number.isInteger(value) ? 0 : 2);

  const decide = (i) => {
    const tp = data.truePositives[i];
    const fp = data.falsePositives[i];
    const fn = data.nRare - tp;
    return {
      tp, fp, fn,
      tn: data.nRest - fp,
      alarms: tp + fp,
      precision: tp + fp ? tp / (tp + fp) : null,
      recall: tp / data.nRare,
      falseAlarmRate: fp / data.nRest,
      f1: (2 * tp) / (2 * tp + fp + fn),
      cost: price(costs.falseAlarm) * fp + price(costs.miss) * fn,
    };
  };
  const price = (input) => {
    const value = Number.parseFloat(input.value);
    return Number.isFinite(value) && value >= 0 ? value : 0;
  };

  // the last place is above all scores, and shown as such
  const named = (i) => (i === last ? "above " : "") + cut(data.threshold[i]);

  const place = (id, x, y, shown = true) => {
    const mark = find(id);
    const axes = mark.ownerSVGElement.dataset;
    const across = Number(axes.left) + Number(axes.width) * Math.min(1, x / Number(axes.limit));
    if (mark.tagName === "circle") {
      mark.setAttribute("cx", across);
      mark.setAttribute("cy", Number(axes.top) + Number(axes.height) * (1 - y));
    } else {
      mark.setAttribute("x1", across);
      mark.setAttribute("x2", across);
    }
    mark.toggleAttribute("hidden", !shown);
  };

  const write = (id, text) => { const element = find(id); if (element) element.textContent = text; };

  // Wilson's 95 % interval of a share, as the page has it
  const interval = (hits, n) => {
    if (!n) return "–";
    const z2 = 1.959963984540054 ** 2;
    const centre = (hits + z2 / 2) / (n + z2);
    const half = (Math.sqrt(z2) / (n + z2)) * Math.sqrt((hits * (n - hits)) / n + z2 / 4);
    return `${percent(Math.max(0, centre - half))} to ${percent(Math.min(1, centre + half))}`;
  };

  const sentence = (at, i) =>
    `At ${named(i)} or above: ${count(at.alarms)} ${at.alarms === 1 ? "alarm" : "alarms"}, ${count(at.tp)} of them right ` +
    `(precision ${at.precision === null ? "not defined" : percent(at.precision)}); ${count(at.fn)} rare ` +
    `${at.fn === 1 ? "row" : "rows"} missed (recall ${percent(at.recall)}); cost ${money(at.cost)}.`;

  const show = () => {
    const i = Number(slider.value);
    const at = decide(i);
    slider.setAttribute("aria-valuetext", `${named(i)}, ${count(at.alarms)} alarms`);
    if (document.activeElement !== typed) typed.value = cut(data.threshold[i]).replace(/,/g, "");
    for (const key of ["tp", "fp", "fn", "tn", "alarms"]) write(key, count(at[key]));
    write("not-called", count(at.fn + at.tn));
    write("precision", percent(at.precision));
    write("recall", percent(at.recall));
    write("precision-interval", interval(at.tp, at.alarms));
    write("recall-interval", interval(at.tp, data.nRare));
    write("f1", decimal(at.f1, 3));
    write("false-alarm-rate", percent(at.falseAlarmRate));
    write("cost", money(at.cost));
    place("mark-roc", at.falseAlarmRate, at.recall);
    place("mark-pr", at.recall, at.precision ?? 0, at.precision !== null);
    place("mark-histogram", data.threshold[i], 0);
    if (find("cost-chart")) placeCost("mark-cost", data.threshold[i], at.cost);
    speak(sentence(at, i));
  };

  // the cost curve at the costs of the moment: a logarithmic axis of whole decades
  const decades = { low: 0, high: 1 };
  const placed = (threshold, cost) => {
    const axes = find("cost-chart").dataset;
    const up = (Math.log10(Math.max(cost, 10 ** decades.low)) - decades.low) / (decades.high - decades.low);
    return [
      Number(axes.left) + Number(axes.width) * Math.min(1, threshold / Number(axes.limit)),
      Number(axes.top) + Number(axes.height) * (1 - up),
    ];
  };
  const placeCost = (id, threshold, cost) => {
    const [x, y] = placed(threshold, cost);
    find(id).setAttribute("cx", x);
    find(id).setAttribute("cy", y);
  };
  const short = (value) => {
    for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (value >= size) return value / size + letter;
    return String(Number(value.toPrecision(6)));
  };
  const drawTicks = () => {
    const ticks = find("cost-chart").querySelector(".ticks");
    const [line, text] = [ticks.querySelector("line"), ticks.querySelector("text")];
    const step = 1 + Math.floor((decades.high - decades.low) / 5);
    const made = [];
    for (let power = decades.low; power <= decades.high; power += step) {
      const y = placed(0, 10 ** power)[1];
      const [grid, label] = [line.cloneNode(), text.cloneNode()];
      grid.setAttribute("y1", y);
      grid.setAttribute("y2", y);
      label.setAttribute("y", y + 4);
      label.textContent = short(10 ** power);
      made.push(grid, label);
    }
    ticks.replaceChildren(...made);
  };
  const measureCosts = () => {
    const limit = Number(find("cost-chart").dataset.limit);
    const all = data.threshold.map((_, i) => decide(i).cost);
    const some = all.filter((cost, i) => cost > 0 && data.threshold[i] <= limit);
    decades.low = some.length ? Math.floor(Math.log10(Math.min(...some)) + 1e-9) : 0;
    decades.high = Math.max(decades.low + 1, some.length ? Math.ceil(Math.log10(Math.max(...some)) - 1e-9) : 1);
    return all;
  };
  const drawCosts = () => {
    if (!find("cost-chart")) return;
    const all = measureCosts();
    const limit = Number(find("cost-chart").dataset.limit);
    const points = [];
    for (let i = last; i >= 0; i -= 1) {
      if (data.threshold[i] <= limit) points.push(placed(data.threshold[i], all[i]).map((at) => at.toFixed(1)).join(","));
    }
    find("cost-line").setAttribute("points", points.join(" "));
    drawTicks();
    const cheapest = best((at) => -at.cost);
    placeCost("cost-cheapest", data.threshold[cheapest], all[cheapest]);
    find("cost-words").textContent =
      `A false alarm costs ${money(price(costs.falseAlarm))} and a missed rare row ${money(price(costs.miss))}. ` +
      `The cheapest threshold here is ${named(cheapest)}: ${money(all[cheapest])}. ` +
      `Raising no alarm would cost ${money(price(costs.miss) * data.nRare)}, ` +
      `an alarm on every row ${money(price(costs.falseAlarm) * data.nRest)}.`;
  };

  // rows to review: between the places of the curve, along a straight line
  const review = () => {
    const field = find("review-n");
    if (!field) return;
    const { n, reviewed, caught } = data.review;
    const asked = Math.min(Math.max(1, Math.floor(Number.parseFloat(field.value)) || 1), n[n.length - 1]);
    const after = n.findIndex((each) => each >= asked);
    const part = n[after] === asked ? 0 : (asked - n[after - 1]) / (n[after] - n[after - 1]);
    const at = (values) => (part ? values[after - 1] + part * (values[after] - values[after - 1]) : values[after]);
    const [rows, hits] = [at(reviewed), at(caught)];
    const whole = (value) => decimal(value, Math.abs(value - Math.round(value)) < 0.05 ? 0 : 1);
    write("review-words",
      `Reviewing ${count(asked)} ${asked === 1 ? "row" : "rows"}${data.byDay ? " a day" : ""}: ${whole(hits)} of ${count(data.nRare)} rare rows caught ` +
      `(recall ${percent(hits / data.nRare)}), ${whole(data.nRare - hits)} missed; ` +
      `${percent(hits / rows)} of the ${whole(rows)} reviewed rows are rare.`);
  };

  // a screen reader hears where the slider came to rest, not every step on the way
  let waiting;
  const speak = (text) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => write("in-words", text), 150);
  };

  const best = (value) => {
    let winner = last;
    for (let i = last; i >= 0; i -= 1) if (value(decide(i)) > value(decide(winner))) winner = i;
    return winner;
  };
  const move = (i) => { slider.value = i; show(); };
  const nearest = (value) => {
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.threshold[middle] < value) low = middle + 1; else high = middle;
    }
    return low; // the counts of the next cut-off above are those of the value itself
  };

  slider.addEventListener("input", show);
  typed.addEventListener("input", () => {
    const value = Number.parseFloat(typed.value);
    if (Number.isFinite(value)) move(nearest(value));
  });
  typed.addEventListener("blur", show);
  for (const input of Object.values(costs)) input.addEventListener("input", () => { drawCosts(); show(); });
  find("review-n")?.addEventListener("input", review);
  find("take-model").addEventListener("click", () => move(data.chosen));
  find("take-f1").addEventListener("click", () => move(best((at) => at.f1)));
  find("take-cheapest").addEventListener("click", () => move(best((at) => -at.cost)));
  for (const control of document.querySelectorAll("[data-moving]")) control.hidden = false;
  if (find("cost-chart")) measureCosts();
  move(data.chosen);
  review();
})();
