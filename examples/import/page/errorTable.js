const rowsPerPage = 25;

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat();

/** The table of the rows that failed, in pages that are read when they are shown. */
export function errorTable() {
  let job;
  let rows = [];
  let failed = 0;
  let page = 0;
  let shown = "";

  byId("previous").addEventListener("click", () => turn(page - 1));
  byId("next").addEventListener("click", () => turn(page + 1));

  const lastPage = () => Math.max(0, Math.ceil(failed / rowsPerPage) - 1);

  /** Reads on until a page is complete, or there are no more rows yet. */
  async function readPage(of, number) {
    const missing = (number + 1) * rowsPerPage - rows.length;
    if (missing <= 0 || rows.length >= failed) return;
    const read = [];
    for await (const row of of.errors({ after: rows.at(-1)?.row ?? 0 })) {
      read.push(row);
      if (read.length === missing) break;
    }
    // Another call may have read the same rows meanwhile, or another import have begun.
    const last = rows.at(-1)?.row ?? 0;
    if (of === job) rows.push(...read.filter(({ row }) => row > last));
  }

  async function turn(to) {
    if (to < 0 || to > lastPage()) return;
    page = to;
    await draw();
  }

  async function draw() {
    const of = job;
    await readPage(of, page);
    if (of !== job) return;
    const first = page * rowsPerPage;
    const part = rows.slice(first, first + rowsPerPage);
    const key = `${page} ${part.length}`;
    if (key !== shown) byId("errorRows").replaceChildren(...part.map(errorRow));
    shown = key;
    const caption = `Rows ${number.format(first + 1)} to ${number.format(first + part.length)} of ${number.format(failed)} that failed`;
    byId("errorsCaption").textContent = part.length === failed ? `All ${number.format(failed)}` : caption;
    byId("pages").hidden = failed <= rowsPerPage;
    // Not `disabled`, which would take the focus away from who turns pages with the keyboard.
    byId("previous").setAttribute("aria-disabled", String(page === 0));
    byId("next").setAttribute("aria-disabled", String(page === lastPage()));
    byId("errors").hidden = false;
  }

  return {
    /** Shows the rows of a job that have failed until now. */
    async show(of, { links, result }) {
      if (job?.id !== of.id) [rows, page, shown] = [[], 0, ""];
      job = of;
      failed = result.failed;
      byId("report").href = links.errors;
      await draw();
    },
    /** Hides the rows of an earlier import. */
    hide() {
      job = undefined;
      byId("errors").hidden = true;
    },
  };
}

const columns = ["Row", "Line", "What is wrong", "As it came"];

function errorRow({ row, line, errors, cells, value, text }) {
  const element = document.createElement("tr");
  const content = cells === undefined ? (text ?? JSON.stringify(value) ?? "") : cells.map((cell) => cell ?? "").join(", ");
  const details = errors.map(({ field, detail }) => (field === undefined || detail.includes(`"${field}"`) ? detail : `${field}: ${detail}`));
  for (const [index, written] of [row, line, details.join(" "), content].entries()) {
    const cell = document.createElement("td");
    // Of a narrow window, where a row is a card.
    cell.dataset.name = columns[index];
    // `textContent`, so that cells of the file cannot become markup.
    cell.textContent = written;
    element.append(cell);
  }
  return element;
}
