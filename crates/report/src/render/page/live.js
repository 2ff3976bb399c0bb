"use strict";
(() => {
  // The server sends the content of the page anew when it has changed. What it sends was escaped there.
  const main = document.getElementById("content");
  const state = document.createElement("p");
  state.id = "live-state";
  state.className = "aside";
  state.setAttribute("role", "status");
  state.textContent = "Following.";
  main.parentElement.before(state);
  const events = new EventSource("live/events");
  events.addEventListener("content", (event) => {
    main.innerHTML = JSON.parse(event.data);
    state.textContent = "Following.";
  });
  events.addEventListener("error", () => {
    state.textContent = events.readyState === EventSource.CLOSED
      ? "Not followed any more: too many viewers, or the server has ended. Reload the page to try again."
      : "The connection is interrupted; trying again.";
  });
})();
