import type { Context } from "../../../../engine/operation/context.js";
import { type Operation, parsesQuery } from "../../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../../ground/http/message.js";
import { yieldToEventLoop } from "../../../../ground/http/yieldToEventLoop.js";
import type { JobEntry, JobState, JobStore } from "../../../../ground/storage/queue/jobs.js";
import { csvEncoder } from "../../../../language/csv/csvEncoder.js";
import { selectType } from "../../../../language/negotiation/accept.js";
import { contentDisposition } from "../../../../parts/blobs/disposition.js";
import { noActiveContent } from "../../../../parts/blobs/noActiveContent.js";
import { fromTheStart, parseEntriesAfter } from "../../../jobs/entriesAfter.js";
import { findJob } from "../../../jobs/findJob.js";
import type { JobKind } from "../../../jobs/kind.js";
import { exportRows } from "../../export/exportRows.js";
import { reportColumns } from "../columns/columns.js";
import type { ImportColumns, ImportEntry } from "../job/importEntry.js";

const rowsPerPage = 1_000;
/** Characters after which a page of JSON ends. */
const maxPageLength = 1_000_000;
/** Rows that are read at once; few, as each may have tens of thousands of characters. Divides the rows of a page. */
const rowsPerRead = 20;
/** The entry with the columns is before the entries of all rows. */
const columnsPosition = 0;

/** GET of the failed rows of an import: as CSV that can be corrected and imported again, or as JSON in pages. */
export function importErrorsOperation(kind: JobKind): Operation {
  return {
    name: `${kind.path}.errors`,
    method: "GET",
    standsAlone: true,
    vary: "Accept",
    access: { action: "read", collection: undefined },
    readQuery: parsesQuery,
    async run(context) {
      const type = selectType(context.headers.get("accept"), ["text/csv", "application/json"]);
      const after = parseEntriesAfter(context, type === "application/json");
      const state = await findJob(kind, context);
      return type === "application/json" ? page(kind, context, state, after) : report(kind, state);
    },
  };
}

async function page({ path, settings }: JobKind, { request }: Context, { id }: JobState, after: number): Promise<HttpResponse> {
  const self = `${request.mount}/${path}/${encodeURIComponent(id)}/errors`;
  let errors = "";
  let count = 0;
  let last = Math.max(after, columnsPosition);
  let next: string | undefined;
  for await (const entries of entriesAfter(settings.store, id, last)) {
    if (count >= rowsPerPage || errors.length > maxPageLength) {
      next = `${self}?after=${last}`;
      break;
    }
    for (const entry of entries) {
      errors += `${errors && ","}${JSON.stringify(shownEntry(entry))}`;
      last = entry.position;
    }
    count += entries.length;
  }
  return { status: 200, headers: { "content-type": "application/json" }, body: `{"errors":[${errors}],"links":${JSON.stringify({ self, next })}}` };
}

async function* entriesAfter(store: JobStore, id: string, after: number): AsyncGenerator<readonly JobEntry[], void, undefined> {
  for (let last = after; ; await yieldToEventLoop()) {
    const entries = await store.entries(id, last, rowsPerRead);
    const end = entries.at(-1);
    if (end === undefined) return;
    yield entries;
    last = end.position;
  }
}

function shownEntry({ position, value }: JobEntry) {
  const { line, faults, cells, value: members, text } = value as ImportEntry;
  return {
    row: position,
    line,
    code: faults[0]?.code,
    errors: faults,
    ...(cells === undefined ? {} : { cells }),
    ...(members === undefined ? {} : { value: members }),
    ...(text === undefined ? {} : { text }),
  };
}

async function report({ settings }: JobKind, { id }: JobState): Promise<HttpResponse> {
  const [first] = await settings.store.entries(id, fromTheStart, 1);
  const columns = first?.position === columnsPosition ? (first.value as ImportColumns) : noColumns;
  return {
    status: 200,
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": contentDisposition("attachment", `import-${id}-errors.csv`),
      ...noActiveContent,
    },
    body: reportLines(settings.store, id, columns),
  };
}

const noColumns: ImportColumns = { columns: [], delimiter: "," };

function reportLines(store: JobStore, id: string, of: ImportColumns): AsyncGenerator<string, void, void> {
  const own = of.columns.flatMap((name, index) => (reportColumns.has(name) ? [] : [{ name, path: [String(index)] }]));
  const columns = [...own, ...[...reportColumns].map((name) => ({ name, path: [name] }))];
  return exportRows({ rows: reportRows(store, id, of), encoder: csvEncoder({ columns, delimiter: of.delimiter }) });
}

async function* reportRows(store: JobStore, id: string, of: ImportColumns): AsyncGenerator<readonly object[], void, undefined> {
  for await (const entries of entriesAfter(store, id, columnsPosition)) yield entries.map((entry) => reportRow(entry, of));
}

/** The cells as they were sent, and the faults of the row; several faults share one cell. */
function reportRow({ position, value }: JobEntry, columns: ImportColumns): Record<string, unknown> {
  const { line, faults, cells, value: members } = value as ImportEntry;
  const [first] = faults;
  const excess = cells?.slice(columns.columns.length) ?? [];
  const notes = excess.length > 0 ? [`Without a column: ${JSON.stringify(excess)}.`] : [];
  return {
    ...cellsOf(cells, members, columns),
    _row: position,
    _line: line,
    _code: first?.code ?? null,
    _field: faults.flatMap(({ field = [] }) => field).join(" | ") || null,
    _message: [...faults.map(({ detail }) => detail), ...notes].join(" | ") || null,
  };
}

function cellsOf(cells: ImportEntry["cells"], members: unknown, { columns, fields = columns }: ImportColumns): Record<string, unknown> {
  if (cells !== undefined) return Object.fromEntries(cells.slice(0, columns.length).map((cell, index) => [String(index), cell]));
  if (typeof members !== "object" || members === null) return {};
  const values = new Map(Object.entries(members));
  return Object.fromEntries(columns.map((name, index) => [String(index), values.get(name) ?? values.get(fields[index] ?? name) ?? null]));
}
