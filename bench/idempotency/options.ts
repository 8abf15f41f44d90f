import { parseArgs } from "node:util";
import type { Amount } from "../requests/measure.js";
import { oneOf } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import { type Contest, contests } from "./contest.js";

/** What `idempotency.ts` is told. */
export interface IdempotencyOptions extends Amount {
  readonly contests: readonly Contest[];
  readonly markdown: boolean;
}

/** @throws {Error} for an option that cannot be */
export function readIdempotencyOptions(): IdempotencyOptions {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      requests: { type: "string", default: "1500" },
      only: { type: "string", multiple: true, default: [] },
      markdown: { type: "boolean", default: false },
    },
  });
  const only = values.only.map((value) => oneOf("only", value, contests));
  return {
    rounds: wholeNumber("rounds", values.rounds),
    requests: wholeNumber("requests", values.requests),
    contests: only.length === 0 ? contests : only,
    markdown: values.markdown,
  };
}
