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
import { importByHand } from "./byHand.js";
import { csvFile, ndjsonFile } from "./files.js";
import { openPostgresFloor, openSqliteFloor } from "./floor.js";
import { measureTransfers, type Transfer, type TransferFigures } from "./measure.js";
import { names } from "./names.js";

export type { TransferFigures };

const [storeName = "", rowsText = "", roundsText = ""] = process.argv.slice(2);
const store: Store = oneOf("store", storeName, stores);
const rows = wholeNumber("rows", rowsText);
const rounds = wholeNumber("rounds", roundsText);

// The server of PostgreSQL reads files here, too.
const folder = mkdtempSync(join(tmpdir(), "restwright-bench-"));
chmodSync(folder, 0o755);
const places = { csv: await makePlace(store, "csv"), ndjson: await makePlace(store, "ndjson"), floor: await makePlace(store, "floor") };
const floor = store === "sqlite" ? await openSqliteFloor(places.floor.location) : await openPostgresFloor(places.floor.location, folder);
const service = await openService(places.csv.location);
const other = await openService(places.ndjson.location);

const transfers: readonly Transfer[] = [
  { name: names.csv, prepare: (round) => importing(service, "text/csv", csvFile(`own.${round}`, rows)) },
  {
    name: names.csvByHand,
    prepare(round) {
      const file = csvFile(`hand.${round}`, rows);
      return () => importByHand(floor.users, file);
    },
  },
  { name: names.ndjson, prepare: (round) => importing(other, "application/x-ndjson", ndjsonFile(`json.${round}`, rows)) },
  ...copying(),
  { name: names.export, prepare: () => () => exported(service) },
  { name: names.exportByHand, prepare: () => () => floor.exportUsers() },
];

const figures = await measureTransfers(transfers, rounds);
process.send?.(figures);
await service.close();
await other.close();
await floor.close();
for (const place of Object.values(places)) await place.remove();
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

function copying(): readonly Transfer[] {
  const { copy } = floor;
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

async function exported(from: Service): Promise<number> {
  const answer = await from.handle(requestOf("GET", "/users/export", "format=csv&fields=id,name,email,status,tags,address,createdAt"));
  let lines = -1;
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
