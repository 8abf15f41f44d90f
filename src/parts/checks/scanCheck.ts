import { type Shape, whole } from "../../ground/options/index.js";
import { type CheckInput, type FileCheck, pass, type Verdict } from "./fileCheck.js";
import { rejectionOf } from "./rejection.js";

/** Options of all checks that scan whole files. */
export interface ScanOptions {
  /** Larger files are rejected, because they are held in memory. Defaults to 67,108,864. */
  readonly maxBytes?: number | undefined;
  /** Files that expand to more bytes are rejected. Defaults to 67,108,864. */
  readonly maxInflatedBytes?: number | undefined;
}

/** The schemas of {@link ScanOptions}. */
export const scanShape = (): Shape<ScanOptions> => ({ maxBytes: whole(1), maxInflatedBytes: whole(1) });

export interface ScanDefinition extends Pick<FileCheck, "name" | "rewrites">, Pick<ScanOptions, "maxBytes"> {
  /** Files of other types pass. */
  readonly types: ReadonlySet<string>;
  /** `undefined` if nothing is wrong. @throws {ProblemError} if the file cannot be scanned */
  scan(bytes: Uint8Array, input: CheckInput): Promise<Verdict | undefined>;
}

/** A check that scans whole files of some types. */
export function scanCheck({ name, rewrites, types, scan, maxBytes = 67_108_864 }: ScanDefinition): FileCheck {
  return {
    name,
    needs: "file",
    rewrites,
    async run(input) {
      if (input.detectedType === undefined || !types.has(input.detectedType)) return pass;
      try {
        return (await scan(await input.readAll(maxBytes), input)) ?? pass;
      } catch (error) {
        const rejection = rejectionOf(error);
        if (rejection === undefined) throw error;
        return rejection;
      }
    },
  };
}
