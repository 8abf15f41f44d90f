import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { optionsCheck, strict, whole } from "../../../ground/options/index.js";
import type { FileCheck, Rejection } from "../fileCheck.js";
import { officeZipTypes } from "../office/officeTypes.js";
import { reject } from "../rejection.js";
import { type ScanOptions, scanCheck, scanShape } from "../scanCheck.js";
import { InflateBudget } from "./inflateBudget.js";
import { inflateEntry } from "./inflateEntry.js";
import { readZip } from "./readZip.js";
import type { ZipEntry } from "./zipEntry.js";

/** Options of {@link zipCheck}. */
export interface ZipCheckOptions extends ScanOptions {
  /** Maximum entries of an archive. Defaults to 10,000. */
  readonly maxEntries?: number | undefined;
  /** Maximum compression ratio of entries of more than 1 MiB. Defaults to 200. */
  readonly maxRatio?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("zipCheck", () => strict<ZipCheckOptions>({ ...scanShape(), maxEntries: whole(1), maxRatio: whole(1) }));

/**
 * Accepts archives, and documents that are archives, only if all entries can be unpacked within limits and none would be written outside of the folder
 * that it is unpacked to. Other files pass.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * zipCheck({ maxEntries: 1_000 });
 */
export function zipCheck(options: ZipCheckOptions = {}): FileCheck {
  check(options);
  return scanCheck({
    name: "zip",
    types: zipTypes,
    maxBytes: options.maxBytes,
    scan: (bytes, { signal }) => scanZip(bytes, new InflateBudget(options), signal),
  });
}

async function scanZip(bytes: Uint8Array, budget: InflateBudget, signal: AbortSignal): Promise<Rejection | undefined> {
  const entries = readZip(bytes, budget);
  if (entries.some(leadsOut)) return reject("UNSCANNABLE", "The archive has an entry whose path leads out of the target folder.");
  for (const entry of entries) {
    await inflateEntry(entry, budget);
    await yieldToEventLoop(signal);
  }
  return undefined;
}

const fileKind = 0o170000;
const link = 0o120000;

function leadsOut({ name, mode }: ZipEntry): boolean {
  return (mode & fileKind) === link || /^(?:\/|[A-Za-z]:)/.test(name) || name.includes("\0") || name.split("/").includes("..");
}

/** Files in a ZIP container. */
const zipTypes: ReadonlySet<string> = new Set([
  ...officeZipTypes,
  "application/zip",
  "application/epub+zip",
  "application/java-archive",
  "application/vnd.android.package-archive",
]);
