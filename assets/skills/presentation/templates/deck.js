// Moves through the slides by key, click, touch and address; shrinks a slide's text until it fits. Without it the slides stand one below another.
(function () {
  "use strict";
  var root = document.documentElement;
  var slides = Array.prototype.slice.call(document.querySelectorAll(".slide"));
  var at = 0;
  root.classList.add("js");

  function fit(slide) {
    var body = slide.querySelector(".body");
    var size = 1;
    body.style.removeProperty("--fit");
    while (size > 0.5 && (body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1)) {
      size -= 0.05;
      body.style.setProperty("--fit", size.toFixed(2) + "em");
    }
  }

  function show(number, silent) {
    at = Math.max(0, Math.min(slides.length - 1, number));
    slides.forEach(function (slide, index) {
      slide.classList.toggle("now", index === at);
      slide.setAttribute("aria-hidden", index === at || root.classList.contains("overview") ? "false" : "true");
    });
    fit(slides[at]);
    document.getElementById("bar").style.width = (slides.length > 1 ? (at / (slides.length - 1)) * 100 : 100) + "%";
    var notes = slides[at].querySelector("aside.speaker");
    document.getElementById("speaker").innerHTML = notes ? notes.innerHTML : "No notes for this slide.";
    if (!silent && location.hash !== "#" + (at + 1)) history.replaceState(null, "", "#" + (at + 1));
  }

  function toggle(name) { root.classList.toggle(name); }

  function overview(on) {
    root.classList.toggle("overview", on);
    if (on) slides[at].scrollIntoView({ block: "center" });
    show(at);
  }

  function theme() {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  function full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (root.requestFullscreen) root.requestFullscreen();
  }

  var keys = {
    ArrowRight: function () { show(at + 1); }, ArrowDown: function () { show(at + 1); }, PageDown: function () { show(at + 1); },
    " ": function (event) { show(at + (event.shiftKey ? -1 : 1)); }, Enter: function () { overview(false); },
    ArrowLeft: function () { show(at - 1); }, ArrowUp: function () { show(at - 1); }, PageUp: function () { show(at - 1); },
    Backspace: function () { show(at - 1); }, Home: function () { show(0); }, End: function () { show(slides.length - 1); },
    f: full, t: theme, n: function () { toggle("show-notes"); }, o: function () { overview(!root.classList.contains("overview")); },
    p: function () { window.print(); }, "?": function () { toggle("show-help"); },
    Escape: function () { root.classList.remove("show-help", "show-notes"); overview(false); }
  };
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    var act = keys[event.key] || keys[event.key.toLowerCase()];
    if (act) { event.preventDefault(); act(event); }
  });

  document.addEventListener("click", function (event) {
    if (event.target.closest("a, #help, #speaker, input")) return;
    if (root.classList.contains("overview")) {
      var slide = event.target.closest(".slide");
      if (slide) { at = slides.indexOf(slide); overview(false); }
    } else if (String(getSelection()) === "") {
      show(at + (event.clientX < innerWidth / 4 ? -1 : 1));
    }
  });

  var from = null;
  document.addEventListener("touchstart", function (event) { from = event.touches[0].clientX; }, { passive: true });
  document.addEventListener("touchend", function (event) {
    var moved = from === null ? 0 : event.changedTouches[0].clientX - from;
    if (Math.abs(moved) > 60) show(at + (moved < 0 ? 1 : -1));
    from = null;
  });

  addEventListener("hashchange", function () { show((parseInt(location.hash.slice(1), 10) || 1) - 1, true); });
  addEventListener("resize", function () { fit(slides[at]); });
  addEventListener("beforeprint", function () {
    slides.forEach(function (slide) { slide.classList.add("now"); });
    slides.forEach(fit);
  });
  addEventListener("afterprint", function () { show(at); });
  show((parseInt(location.hash.slice(1), 10) || 1) - 1, true);
})();
