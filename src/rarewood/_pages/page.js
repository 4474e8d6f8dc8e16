"use strict";
(() => {
  // a hint where a table is wider than its place
  const hint = () => {
    for (const box of document.querySelectorAll(".scroll")) {
      const fits = box.scrollWidth <= box.clientWidth + 1;
      box.previousElementSibling.hidden = fits;
      if (fits) box.removeAttribute("tabindex"); else box.tabIndex = 0; // a stop of the keyboard only where there is something to scroll
    }
  };

  const folded = document.querySelectorAll("details");
  addEventListener("resize", hint);
  for (const each of folded) each.addEventListener("toggle", hint);
  addEventListener("beforeprint", () => { for (const each of folded) each.open = true; });
  hint();
})();
