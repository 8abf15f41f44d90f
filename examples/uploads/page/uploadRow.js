import { fileLink } from "./fileLink.js";

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const mebibytes = (bytes) => number.format(bytes / 1_048_576);

/** A row of the list, for one file. */
export function uploadRow(file) {
  const row = document.getElementById("row").content.cloneNode(true).firstElementChild;
  const part = (selector) => row.querySelector(selector);
  part(".name").textContent = file.name;
  document.getElementById("uploads").prepend(row);
  let amount = "";
  const say = (status, text) => {
    row.dataset.status = status;
    part(".text").textContent = text;
    part(".pause").hidden = status !== "sending";
    part(".resume").hidden = status !== "paused" && status !== "failed";
    part(".cancel").hidden = status === "done" || status === "canceled" || status === "refused";
    part("progress").hidden = status === "canceled" || status === "refused";
  };
  return {
    say,
    progress(sent, all) {
      part("progress").value = all === 0 ? 1 : sent / all;
      amount = `${mebibytes(sent)} of ${mebibytes(all)} MiB`;
      say("sending", amount);
    },
    paused: () => say("paused", amount === "" ? "paused" : `paused at ${amount}`),
    done({ filename, contentType, size, sha256, url, signedUrl, image }) {
      part("progress").value = 1;
      say("done", `${number.format(size)} bytes, ${contentType}, SHA-256 ${sha256}`);
      // An image, and a link that is opened elsewhere, send no credentials: the signed address needs none.
      part(".result").replaceChildren(fileLink({ address: signedUrl ?? url, filename, image }));
    },
    /** @param actions what the buttons do: `pause`, `resume`, `cancel` */
    on(actions) {
      for (const [name, act] of Object.entries(actions)) part(`.${name}`).addEventListener("click", act);
    },
  };
}
