import { readSuboperation } from "../../../../src/capabilities/batch/plan/suboperation.js";
import type { SubResult } from "../../../../src/capabilities/batch/references/followReference.js";
import { resolveReferences } from "../../../../src/capabilities/batch/references/resolveReferences.js";

export const limits = { targetBytes: 200, body: { nodes: 1_000, characters: 10_000, depth: 20 } };

interface Given {
  readonly url?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A POST to `/users` with values in the places of its references. */
export function resolve({ url = "/users", body, headers = {} }: Given, results: Readonly<Record<string, SubResult>>) {
  const operation = readSuboperation({ method: "POST", url, body, headers }, 0, { mount: "", targetBytes: limits.targetBytes });
  return resolveReferences(operation, new Map(Object.entries(results)), limits);
}
