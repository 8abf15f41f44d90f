import { parseArgs } from "node:util";
import { oneOf } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import { type Contest, contests } from "./contest.js";

/** How much is measured in one round of one server. */
export interface BatchAmount {
  readonly rounds: number;
  /** Users created by batches of either size; a whole number of batches of 1,000. */
  readonly items: number;
  /** Users created one by one. */
  readonly singles: number;
}

/** What `batch.ts` is told. */
export interface BatchRunOptions extends BatchAmount {
  readonly contests: readonly Contest[];
  /** Whether Feathers is measured too. */
  readonly peer: boolean;
  /** Folder for CPU profiles of the servers. */
  readonly profile: string | undefined;
  readonly markdown: boolean;
}

/** @throws {Error} for an option that cannot be */
export function readBatchOptions(): BatchRunOptions {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      rounds: { type: "string", default: "5" },
      items: { type: "string", default: "10000" },
      singles: { type: "string", default: "1000" },
      only: { type: "string", multiple: true, default: [] },
      peer: { type: "boolean", default: true },
      profile: { type: "string" },
      markdown: { type: "boolean", default: false },
    },
  });
  const only = values.only.map((value) => oneOf("only", value, contests));
  const items = wholeNumber("items", values.items);
  if (items % 1_000 !== 0) throw new Error(`--items must be a whole number of thousands; got ${items}.`);
  return {
    rounds: wholeNumber("rounds", values.rounds),
    items,
    singles: wholeNumber("singles", values.singles),
    contests: only.length === 0 ? contests : only,
    peer: values.peer,
    profile: values.profile,
    markdown: values.markdown,
  };
}
