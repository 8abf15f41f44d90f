import { type CheckInput, type FileCheck, pass, type Verdict } from "./fileCheck.js";
import { rejectionOf } from "./rejection.js";

/** What all scans of whole files can be told. */
export interface ScanOptions {
  /** Larger files are not taken; 67,108,864 unless given. They are held in memory. */
  readonly maxBytes?: number | undefined;
  /** Files that expand to more bytes than this are not taken; 67,108,864 unless given. */
  readonly maxInflatedBytes?: number | undefined;
}

export interface ScanDefinition extends Pick<FileCheck, "name" | "rewrites">, Pick<ScanOptions, "maxBytes"> {
  /** Files of other types pass. */
  readonly types: ReadonlySet<string>;
  /** `undefined` where nothing is wrong. @throws {ProblemError} for what cannot be looked through */
  scan(bytes: Uint8Array, input: CheckInput): Promise<Verdict | undefined>;
}

/** A check that looks through whole files of some types. */
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
