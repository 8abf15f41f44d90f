import fastJsonPatch, { type Operation } from "fast-json-patch";
import type { Budget } from "./budget.js";
import { copyJson } from "./copyJson.js";
import { equalJson } from "./equalJson.js";
import type { JsonPatchStep } from "./jsonPatchStep.js";
import type { JsonPointer } from "./jsonPointer.js";
import { quotePointer } from "./jsonPointer.js";
import { conflict, type Spot } from "./refusal.js";
import { findGap, findTarget, refusePrototype, valueAt, weighFormer, weighName } from "./targetLocation.js";
import { together, weigh, weightless } from "./weigh.js";

/** The input of a step: the private copy, which it may change, and the remaining budget. */
interface Work {
  readonly document: unknown;
  readonly budget: Budget;
  readonly spot: Spot;
}

/**
 * Applies one checked step, after checking that the document allows it. Changes the document, and returns it or the
 * value that replaces it.
 *
 * @throws {ProblemError} PATCH_CONFLICT, PATCH_MALFORMED
 */
export function applyStep(document: unknown, step: JsonPatchStep, budget: Budget): unknown {
  const work: Work = { document, budget, spot: { index: step.index, op: step.op, member: "path" } };
  switch (step.op) {
    case "add":
      return add(work, step.path, step.value);
    case "remove":
      return remove(work, step.path);
    case "replace":
      return replace(work, step.path, step.value);
    case "test":
      return test(work, step.path, step.value);
    case "copy":
      return copy(work, step.from, step.path);
    case "move":
      return move(work, step.from, step.path);
  }
}

function add({ document, budget, spot }: Work, path: JsonPointer, value: unknown): unknown {
  const location = findGap(document, path, spot);
  refusePrototype(location, value, spot);
  budget.exchange(weighFormer(document, location), together(weighName(location), weigh(value)), path.tokens.length, spot);
  return run(document, { op: "add", path: path.text, value });
}

function remove({ document, budget, spot }: Work, path: JsonPointer): unknown {
  const location = findTarget(document, path, spot);
  budget.exchange(together(weighName(location), weigh(valueAt(document, location))), weightless, 0, spot);
  return run(document, { op: "remove", path: path.text });
}

function replace({ document, budget, spot }: Work, path: JsonPointer, value: unknown): unknown {
  const location = findTarget(document, path, spot);
  refusePrototype(location, value, spot);
  budget.exchange(weigh(valueAt(document, location)), weigh(value), path.tokens.length, spot);
  return run(document, { op: "replace", path: path.text, value });
}

/** Does not use the library, whose comparison fails on a member called `hasOwnProperty`. */
function test({ document, spot }: Work, path: JsonPointer, value: unknown): unknown {
  if (equalJson(valueAt(document, findTarget(document, path, spot)), value)) return document;
  throw conflict(spot, `${quotePointer(path.text)} does not have the value of the test.`);
}

/** Adds a copy that is made here: the library would make it before its size is known. */
function copy(work: Work, from: JsonPointer, path: JsonPointer): unknown {
  const { document, budget, spot } = work;
  const value = valueAt(document, findTarget(document, from, { ...spot, member: "from" }));
  const steps = path.tokens.length;
  budget.spend(weigh(value, budget.left(steps)), steps, spot);
  return add(work, path, copyJson(value, Number.POSITIVE_INFINITY));
}

/** Removes and adds (RFC 6902 §4.4): the library would copy the value at the target. */
function move({ document, budget, spot }: Work, from: JsonPointer, path: JsonPointer): unknown {
  const origin = findTarget(document, from, { ...spot, member: "from" });
  if (from.text === path.text) return document;
  const value = valueAt(document, origin);
  const steps = path.tokens.length;
  // Only then can the document become too deep, and scanning the value counts towards the budget of the patch.
  if (steps > from.tokens.length) budget.spend(weigh(value, budget.left(steps)), steps, spot);
  const rest = run(document, { op: "remove", path: from.text });
  const target = findGap(rest, path, spot);
  refusePrototype(target, value, spot);
  budget.exchange(together(weighName(origin), weighFormer(rest, target)), weighName(target), 0, spot);
  return run(rest, { op: "add", path: path.text, value });
}

/** Runs one operation of the library on the private copy. The caller has checked that the document allows it. */
function run(document: unknown, operation: Operation): unknown {
  return fastJsonPatch.applyOperation(document, operation, false, true, true).newDocument;
}
