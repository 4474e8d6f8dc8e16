"use strict";
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
  const percent = (value) => (value === null ? "–" : (100 * value).toFixed(1) + " %");
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

  const write = (id, text) => { find(id).textContent = text; };

  const sentence = (at, i) =>
    `From ${named(i)} on: ${count(at.alarms)} ${at.alarms === 1 ? "alarm" : "alarms"}, ${count(at.tp)} of them right ` +
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
    write("f1", decimal(at.f1, 3));
    write("false-alarm-rate", percent(at.falseAlarmRate));
    write("cost", money(at.cost));
    place("mark-roc", at.falseAlarmRate, at.recall);
    place("mark-pr", at.recall, at.precision ?? 0, at.precision !== null);
    place("mark-histogram", data.threshold[i], 0);
    speak(sentence(at, i));
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
  for (const input of Object.values(costs)) input.addEventListener("input", show);
  find("take-model").addEventListener("click", () => move(data.chosen));
  find("take-f1").addEventListener("click", () => move(best((at) => at.f1)));
  find("take-cheapest").addEventListener("click", () => move(best((at) => -at.cost)));
  for (const control of document.querySelectorAll("[data-moving]")) control.hidden = false;
  move(data.chosen);
})();
