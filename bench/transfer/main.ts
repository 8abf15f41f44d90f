import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePlace } from "../tools/places.js";
import { oneOf, type Store, stores } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import { importCsvByHand, importNdjsonByHand } from "./byHand.js";
import { csvOf, exportByHand, ndjsonOf, stringified, type WriteUsers } from "./exportByHand.js";
import { csvFile, ndjsonFile } from "./files.js";
import type { Floor } from "./floor.js";
import { type Name, names } from "./names.js";
import { exported, imported, openService } from "./ownTransfers.js";
import { type ReadCsv, withCsvParse, withPapaParse } from "./parsers.js";
import { openPostgresFloor } from "./postgresFloor.js";
import { openSqliteFloor } from "./sqliteFloor.js";
import { type Prepare, takeTurns } from "./turns.js";

/** Rows of an export, in files of imports. */
const exportedFiles = 2;

const [storeName = "", rowsText = "", transferName = ""] = process.argv.slice(2);
const store: Store = oneOf("store", storeName, stores);
const rows = wholeNumber("rows", rowsText);
const name: Name = oneOf("transfer", transferName, Object.values(names));

// The server of PostgreSQL reads files here, too.
const folder = mkdtempSync(join(tmpdir(), "restwright-bench-"));
chmodSync(folder, 0o755);
const place = await makePlace(store, "transfer");
const { prepare, close } = await opened();
await takeTurns(prepare);
await close();
await place.remove();
rmSync(folder, { recursive: true, force: true });

interface Opened {
  readonly prepare: Prepare;
  close(): Promise<void>;
}

function opened(): Promise<Opened> {
  switch (name) {
    case names.csv:
      return ownImport("text/csv", csvFile);
    case names.csvUpdate:
      return ownUpdate();
    case names.ndjson:
      return ownImport("application/x-ndjson", ndjsonFile);
    case names.csvParse:
      return csvByHand(withCsvParse);
    case names.papaParse:
      return csvByHand(withPapaParse);
    case names.ndjsonByHand:
      return importByHand(ndjsonFile, importNdjsonByHand);
    case names.copy:
      return copy();
    case names.export:
      return ownExport("csv");
    case names.exportNdjson:
      return ownExport("ndjson");
    case names.exportByHand:
      return exportWith(csvOf);
    case names.exportStringify:
      return exportWith(stringified);
    case names.exportNdjsonByHand:
      return exportWith(ndjsonOf);
  }
}

type MakeFile = (round: string, rows: number) => Buffer;

async function ownImport(contentType: string, makeFile: MakeFile): Promise<Opened> {
  const service = await openService(store, place.location, folder);
  const prepare: Prepare = async (round) => {
    const file = makeFile(String(round), rows);
    return () => imported(service, contentType, file);
  };
  return { prepare, close: () => service.close() };
}

/** Each file changes the names of the same users, which it finds by their e-mail addresses. */
async function ownUpdate(): Promise<Opened> {
  const service = await openService(store, place.location, folder);
  await imported(service, "text/csv", csvFile("same", rows));
  await place.analyze();
  const prepare: Prepare = async (round) => {
    const file = csvFile("same", rows, `Customer ${round}`);
    return () => imported(service, "text/csv", file, "&mode=upsert&key=email");
  };
  return { prepare, close: () => service.close() };
}

async function ownExport(format: "csv" | "ndjson"): Promise<Opened> {
  const service = await openService(store, place.location, folder);
  for (let at = 0; at < exportedFiles; at++) await imported(service, "application/x-ndjson", ndjsonFile(String(at), rows));
  await place.analyze();
  return { prepare: async () => () => exported(service, format), close: () => service.close() };
}

async function importByHand(makeFile: MakeFile, importFile: (floor: Floor, file: Buffer) => Promise<number>): Promise<Opened> {
  const floor = await openFloor();
  const prepare: Prepare = async (round) => {
    const file = makeFile(String(round), rows);
    return () => importFile(floor, file);
  };
  return { prepare, close: () => floor.close() };
}

function csvByHand(read: ReadCsv): Promise<Opened> {
  return importByHand(csvFile, (floor, file) => importCsvByHand(floor, file, read));
}

async function exportWith(write: WriteUsers): Promise<Opened> {
  const floor = await openFloor();
  for (let at = 0; at < exportedFiles; at++) await importNdjsonByHand(floor, ndjsonFile(String(at), rows));
  await place.analyze();
  return { prepare: async () => () => exportByHand(floor, write), close: () => floor.close() };
}

async function copy(): Promise<Opened> {
  const floor = await openFloor();
  const prepare: Prepare = async (round) => {
    if (floor.copy === undefined) throw new Error(`There is no ${name} on ${store}.`);
    return floor.copy(csvFile(String(round), rows), rows);
  };
  return { prepare, close: () => floor.close() };
}

function openFloor(): Promise<Floor> {
  return store === "sqlite" ? openSqliteFloor(place.location) : openPostgresFloor(place.location, folder);
}
