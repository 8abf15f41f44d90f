import { bytesText, sentText, speedometer } from "./amounts.js";
import { fileLink } from "./fileLink.js";
import { wordsOf } from "./words.js";

const shortLength = 12;

/** Which buttons a row has in each of its states. A state without `end` is over: the button removes the row. */
const buttons = {
  waiting: { end: "Cancel" },
  sending: { toggle: "Pause", end: "Cancel" },
  paused: { toggle: "Resume", end: "Cancel" },
  retrying: { retry: "Try now", toggle: "Pause", end: "Cancel" },
  checking: { end: "Cancel" },
  failed: { retry: "Try again" },
  refused: {},
  canceled: {},
  done: {},
};

/**
 * A row of the list, for one file.
 *
 * @param act what the buttons do: `toggle`, `retry`, `end`
 */
export function uploadRow(file, act) {
  const row = document.getElementById("row").content.cloneNode(true).firstElementChild;
  const part = (selector) => row.querySelector(selector);
  let speedAt = speedometer();
  let sent = { sentBytes: 0, totalBytes: file.size };
  let countdown;

  part(".name").textContent = file.name;
  part("progress").setAttribute("aria-label", file.name);
  for (const [name, action] of Object.entries(act)) part(`.${name}`).addEventListener("click", action);
  document.getElementById("uploads").prepend(row);

  /** Shows a state. A button that vanishes passes the focus to one that stays. */
  function show(status, text, reason = "") {
    clearInterval(countdown);
    const isFocused = row.contains(document.activeElement);
    row.dataset.status = status;
    part(".text").textContent = text;
    part(".text").hidden = text === "";
    part(".reason").hidden = reason === "";
    part(".words").textContent = reason;
    part(".countdown").textContent = "";
    part("progress").hidden = status === "canceled" || status === "refused";
    for (const name of ["retry", "toggle", "end"]) {
      const label = buttons[status][name] ?? (name === "end" ? "Remove from the list" : undefined);
      part(`.${name}`).hidden = label === undefined;
      part(`.${name}`).textContent = label;
      // One of many with this text, as screen readers list them.
      part(`.${name}`).setAttribute("aria-label", `${label}: ${file.name}`);
    }
    if (isFocused && !row.contains(document.activeElement)) part("button:not([hidden])").focus();
  }

  return {
    waiting: () => show("waiting", "Waits for its turn"),
    sending(progress) {
      const speed = speedAt(progress.sentBytes);
      sent = progress;
      part("progress").value = sent.totalBytes === 0 ? 1 : sent.sentBytes / sent.totalBytes;
      if (sent.sentBytes < sent.totalBytes) return show("sending", sentText(sent.sentBytes, sent.totalBytes, speed));
      return show("checking", "Sent; the server checks it");
    },
    /** Goes on after a pause or a wait: the time between does not count. */
    resumed() {
      speedAt = speedometer();
      show("sending", sentText(sent.sentBytes, sent.totalBytes));
    },
    paused: () => show("paused", `Paused at ${sentText(sent.sentBytes, sent.totalBytes)}`),
    retrying(error, delayMs) {
      speedAt = speedometer();
      show("retrying", sentText(sent.sentBytes, sent.totalBytes), wordsOf(error));
      const endMs = performance.now() + delayMs;
      const tell = () => {
        const seconds = Math.ceil((endMs - performance.now()) / 1_000);
        part(".countdown").textContent = seconds > 0 ? `Next try in ${seconds} s.` : "Trying again.";
      };
      tell();
      countdown = setInterval(tell, 500);
    },
    failed: (error) => show("failed", "", `${wordsOf(error)} What has arrived is kept for a day.`),
    refused: (error) => show("refused", "", wordsOf(error)),
    canceled: (text) => show("canceled", text),
    done({ filename, contentType, size, sha256, url, signedUrl, image }) {
      part("progress").value = 1;
      const pixels = image === undefined ? [] : [`${image.width} × ${image.height} pixels`];
      show("done", [bytesText(size), contentType, ...pixels].join(" · "));
      // An image, and a link that is opened elsewhere, send no credentials: the signed address needs none.
      part(".result").replaceChildren(fileLink({ address: signedUrl ?? url, filename, image }));
      part(".result").hidden = false;
      part(".short").textContent = `${sha256.slice(0, shortLength)}…`;
      part(".sha256").textContent = sha256;
      part("details").hidden = false;
    },
    /** Removes the row, and passes the focus to the next one. */
    remove() {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector(".end") ?? document.getElementById("files")).focus();
    },
  };
}
