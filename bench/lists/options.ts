import { parseArgs } from "node:util";
import { oneOf, type Store, stores } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import type { ListAmount } from "./measureCases.js";

/** What `main.ts` is told. */
export interface ListOptions extends ListAmount {
  readonly store: Store;
  /** Numbers of rows, ascending. */
  readonly sizes: readonly number[];
  readonly markdown: boolean;
}

/** @throws {Error} for an option that cannot be */
export function readListOptions(): ListOptions {
  const { values } = parseArgs({
    options: {
      store: { type: "string", default: "memory" },
      sizes: { type: "string", default: "1000" },
      rounds: { type: "string", default: "5" },
      milliseconds: { type: "string", default: "100" },
      markdown: { type: "boolean", default: false },
    },
  });
  return {
    store: oneOf("store", values.store, stores),
    sizes: values.sizes
      .split(",")
      .map((size) => wholeNumber("sizes", size))
      .sort((left, right) => left - right),
    rounds: wholeNumber("rounds", values.rounds),
    milliseconds: wholeNumber("milliseconds", values.milliseconds),
    markdown: values.markdown,
  };
}
