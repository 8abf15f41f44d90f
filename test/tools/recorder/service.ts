import type { Capability } from "../../../src/engine/capability/capability.js";
import { createService as create } from "../../../src/engine/service/service.js";
import { recorder } from "./recorder.js";

export * from "../../../src/engine/service/service.js";

/** `createService` of tests: each answer of a service is compared with what its OpenAPI document says. */
export const createService = ((given: Parameters<typeof create>[0]) => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return create(given);
  const { use = [] } = given;
  return create(Array.isArray(use) ? { ...given, use: [...(use as Capability[]), recorder(given)] } : given);
}) as typeof create;
