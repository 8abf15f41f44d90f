import type { z } from "zod";
import { strict, whole } from "../options/index.js";
import { defaultLimits, type Limits } from "./limits.js";

/** Deeper JSON exhausts the stack. */
const most: Partial<Limits> = { jsonDepth: 1_000, patchOperations: 1_000 };

/** The schema of changed limits. */
export function limitsSchema(): z.ZodType {
  const names = Object.keys(defaultLimits) as (keyof Limits)[];
  return strict<Limits>(Object.fromEntries(names.map((name) => [name, whole(1, most[name])])) as { [name in keyof Limits]: z.ZodType });
}
