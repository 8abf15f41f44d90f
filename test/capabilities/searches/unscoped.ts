import type { Resource } from "restwright";

/** The same resource without a scope, so that foreign keys may name rows of it that do not exist. */
export function unscoped<R extends Resource>(resource: R): R {
  return { ...resource, options: { ...resource.options, scope: undefined } };
}
