import type { z } from "zod";
import { callable, strict } from "../../../ground/options/index.js";
import type { ResourceOptions } from "../options.js";
import { concurrencyRules } from "./concurrency.js";

/** What the option `hooks` may be. */
export function hooksSchema(): z.ZodType {
  return strict<NonNullable<ResourceOptions<z.ZodObject>["hooks"]>>({
    beforeWrite: callable(),
    beforeWrites: callable(),
    afterWrite: callable(),
    afterWrites: callable(),
    ...concurrencyRules(),
  });
}
