import type { z } from "zod";
import { callable, optionsCheck, strict } from "../../options/index.js";
import { ConfigurationError } from "../../problem/index.js";
import type { ResourceOptions } from "../options.js";
import type { Resource } from "../resource.js";
import { capabilityOptionsOf } from "./capabilityOptions.js";
import { hooksSchema } from "./hooksSchema.js";

/** The options that `extend` may add. */
type Rules = Pick<ResourceOptions<z.ZodObject>, "hooks" | "actions">;

const checkRules = /* @__PURE__ */ optionsCheck("extend", () => strict<Rules>({ hooks: hooksSchema(), actions: callable() }));

/** Adds hooks and actions to a collection. @throws {ConfigurationError} for an option that the collection has already */
export function extendResource<R extends Resource>(resource: R, rules: Rules): R {
  checkRules(rules, `extend("${resource.name}")`);
  for (const option of ["hooks", "actions"] as const) {
    if (rules[option] !== undefined && resource.options[option] !== undefined) {
      throw new ConfigurationError(`${resource.name}: "${option}" is defined already; say it once, in defineResource or in extend.`);
    }
  }
  const options = { ...resource.options, ...rules };
  return { ...resource, options, capabilityOptions: capabilityOptionsOf(options) };
}
