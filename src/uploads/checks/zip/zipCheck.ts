import { requireLimits } from "../../../problem/index.js";
import type { FileCheck, Rejection } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { type ScanOptions, scanCheck } from "../scanCheck.js";
import { giveWay } from "../turn.js";
import { InflateBudget } from "./inflateBudget.js";
import { inflateEntry } from "./inflateEntry.js";
import { readZip } from "./readZip.js";
import type { ZipEntry } from "./zipEntry.js";
import { zipTypes } from "./zipTypes.js";

/** How far {@link zipCheck} looks. */
export interface ZipCheckOptions extends ScanOptions {
  /** Entries of an archive; 10,000 unless given. */
  readonly maxEntries?: number | undefined;
  /** Bytes that one compressed byte may become, in entries of more than 1 MiB; 200 unless given. */
  readonly maxRatio?: number | undefined;
}

const optionNames = { maxBytes: true, maxInflatedBytes: true, maxEntries: true, maxRatio: true } as const satisfies Record<
  keyof ZipCheckOptions,
  true
>;

/**
 * Takes archives, and documents that are archives, only where all their entries can be unpacked within limits, and none would be written elsewhere than in the folder
 * it is unpacked to. Other files pass.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * zipCheck({ maxEntries: 1_000 });
 */
export function zipCheck(options: ZipCheckOptions = {}): FileCheck {
  requireLimits("zipCheck", options, optionNames);
  return scanCheck({
    name: "zip",
    types: zipTypes,
    maxBytes: options.maxBytes,
    scan: (bytes, { signal }) => scanZip(bytes, new InflateBudget(options), signal),
  });
}

async function scanZip(bytes: Uint8Array, budget: InflateBudget, signal: AbortSignal): Promise<Rejection | undefined> {
  const entries = readZip(bytes, budget);
  if (entries.some(leadsOut)) return reject("UNSCANNABLE", "The archive has an entry that leads out of the folder it is unpacked to.");
  for (const entry of entries) {
    await inflateEntry(entry, budget);
    await giveWay(signal);
  }
  return undefined;
}

const fileKind = 0o170000;
const link = 0o120000;

function leadsOut({ name, mode }: ZipEntry): boolean {
  return (mode & fileKind) === link || /^(?:\/|[A-Za-z]:)/.test(name) || name.includes("\0") || name.split("/").includes("..");
}
