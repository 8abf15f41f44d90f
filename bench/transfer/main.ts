import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createService, type HttpRequest, type Service } from "restwright";
import { diskBlobs } from "restwright/disk";
import { jobs } from "restwright/jobs";
import { transfer } from "restwright/transfer";
import { openStorage } from "../openStorage.js";
import { makePlace } from "../places.js";
import { oneOf, type Store, stores } from "../serverOptions.js";
import { orders, users } from "../shopCollections.js";
import { wholeNumber } from "../wholeNumber.js";
import { importCsvByHand, importNdjsonByHand } from "./byHand.js";
import { csvOf, exportByHand, ndjsonOf, stringified } from "./exportByHand.js";
import { csvFile, ndjsonFile } from "./files.js";
import type { Floor } from "./floor.js";
import { measureTransfers, type Transfer, type TransferFigures } from "./measure.js";
import { names } from "./names.js";
import { withCsvParse, withPapaParse } from "./parsers.js";
import { openPostgresFloor } from "./postgresFloor.js";
import { openSqliteFloor } from "./sqliteFloor.js";

export type { TransferFigures };

const [storeName = "", rowsText = "", roundsText = "", ...wanted] = process.argv.slice(2);
const store: Store = oneOf("store", storeName, stores);
const rows = wholeNumber("rows", rowsText);
const rounds = wholeNumber("rounds", roundsText);

// The server of PostgreSQL reads files here, too.
const folder = mkdtempSync(join(tmpdir(), "restwright-bench-"));
chmodSync(folder, 0o755);
const places = await Promise.all(["csv", "ndjson", "csv_floor", "ndjson_floor"].map((name) => makePlace(store, name)));
const [csvPlace, ndjsonPlace, csvFloorPlace, ndjsonFloorPlace] = places.map(({ location }) => location) as [string, string, string, string];
// The exports are of `csvService` and `csvFloor`, which get one file a round.
const csvService = await openService(csvPlace);
const ndjsonService = await openService(ndjsonPlace);
const csvFloor = await openFloor(csvFloorPlace);
const ndjsonFloor = await openFloor(ndjsonFloorPlace);

const all: readonly Transfer[] = [
  { name: names.csv, prepare: (round) => importing(csvService, "text/csv", csvFile(`own.${round}`, rows)) },
  {
    name: names.csvParse,
    prepare(round) {
      const file = csvFile(`hand.${round}`, rows);
      return () => importCsvByHand(ndjsonFloor, file, withCsvParse);
    },
  },
  {
    name: names.papaParse,
    prepare(round) {
      const file = csvFile(`papa.${round}`, rows);
      return () => importCsvByHand(csvFloor, file, withPapaParse);
    },
  },
  { name: names.ndjson, prepare: (round) => importing(ndjsonService, "application/x-ndjson", ndjsonFile(`json.${round}`, rows)) },
  {
    name: names.ndjsonByHand,
    prepare(round) {
      const file = ndjsonFile(`json.${round}`, rows);
      return () => importNdjsonByHand(ndjsonFloor, file);
    },
  },
  ...copying(),
  { name: names.export, prepare: () => () => exported(csvService, "csv") },
  { name: names.exportByHand, prepare: () => () => exportByHand(csvFloor, csvOf) },
  { name: names.exportStringify, prepare: () => () => exportByHand(csvFloor, stringified) },
  { name: names.exportNdjson, prepare: () => () => exported(csvService, "ndjson") },
  { name: names.exportNdjsonByHand, prepare: () => () => exportByHand(csvFloor, ndjsonOf) },
];
const transfers = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

const figures = await measureTransfers(transfers, rounds);
process.send?.(figures);
for (const opened of [csvService, ndjsonService, csvFloor, ndjsonFloor]) await opened.close();
for (const place of places) await place.remove();
rmSync(folder, { recursive: true, force: true });
process.disconnect?.();

async function openService(location: string): Promise<Service> {
  const opened = createService({
    resources: [users, orders],
    storage: await openStorage({ store, location }),
    use: [jobs(), transfer({ blobs: diskBlobs({ path: mkdtempSync(join(folder, "blobs-")) }) })],
  });
  await opened.start();
  return opened;
}

function openFloor(location: string): Promise<Floor> {
  return store === "sqlite" ? openSqliteFloor(location) : openPostgresFloor(location, folder);
}

function copying(): readonly Transfer[] {
  const { copy } = csvFloor;
  return copy === undefined ? [] : [{ name: names.copy, prepare: (round) => copy(csvFile(`copy.${round}`, rows), rows) }];
}

function importing(to: Service, contentType: string, file: Buffer): () => Promise<number> {
  return async () => {
    const accepted = await to.handle(requestOf("POST", "/imports", "collection=users", { contentType, file }));
    const location = String(accepted?.headers["location"]);
    for (;;) {
      const answer = await to.handle(requestOf("GET", location, ""));
      const job = JSON.parse(String(answer?.body)) as { status: string; result: { created: number } };
      if (job.status === "completed" && job.result.created === rows) return rows;
      if (job.status === "completed" || job.status === "failed") throw new Error(`An import ended so: ${JSON.stringify(job)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
}

async function exported(from: Service, format: "csv" | "ndjson"): Promise<number> {
  const answer = await from.handle(requestOf("GET", "/users/export", `format=${format}&fields=id,name,email,status,tags,address,createdAt`));
  let lines = format === "csv" ? -1 : 0;
  if (answer?.status !== 200) throw new Error(`An export was answered ${answer?.status}.`);
  for await (const chunk of answer.body as AsyncIterable<string | Uint8Array>) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
  }
  return lines;
}

function requestOf(
  method: string,
  path: string,
  query: string,
  { contentType, file }: { readonly contentType?: string; readonly file?: Uint8Array } = {},
): HttpRequest {
  return {
    method,
    path,
    query,
    mount: "",
    headers: contentType === undefined ? [] : ["content-type", contentType],
    body: file === undefined ? { kind: "none" } : { kind: "bytes", bytes: file },
    signal: new AbortController().signal,
    native: undefined,
  };
}
