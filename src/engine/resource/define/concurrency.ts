import type { z } from "zod";
import { flag, oneOf } from "../../../ground/options/index.js";
import { isolations } from "../../../ground/storage/isolation.js";
import type { ConcurrencyOptions } from "../hooks.js";

/** What the options of a rule that reads other rows may be. */
export function concurrencyRules(): Readonly<Record<keyof ConcurrencyOptions, z.ZodType>> {
  return { isolation: isolationRule(), concurrent: flag() };
}

/** What the option `isolation` may be. */
export function isolationRule(): z.ZodType {
  return oneOf(...isolations);
}
