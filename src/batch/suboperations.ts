import { ProblemError } from "../problem/index.js";
import { checkReferences } from "./checkReferences.js";
import type { Dispatcher } from "./dispatcher.js";
import type { GivenOperation } from "./readOperations.js";
import type { BatchMode } from "./result.js";
import { readSuboperation, type Suboperation, suboperationName } from "./suboperation.js";
import { suboperationFault } from "./suboperationFault.js";
import type { UrlRules } from "./suboperationUrl.js";

/** An operation that was understood, or why it was not. */
export interface JudgedOperation {
  readonly label: string | undefined;
  readonly operation: Suboperation | undefined;
  readonly fault: ProblemError | undefined;
}

/** What holds for all operations of a batch. */
export interface SuboperationRules extends UrlRules {
  readonly mode: BatchMode;
  /** Whether an operation may bring an Idempotency-Key. */
  readonly takesKeys: boolean;
}

/**
 * Understands every operation before any is run.
 *
 * @throws {ProblemError} ATOMIC_UNSUPPORTED where one of an atomic batch has effects that no transaction takes back
 */
export function judgeOperations(given: readonly GivenOperation[], dispatcher: Dispatcher, rules: SuboperationRules): readonly JudgedOperation[] {
  const read = given.map((each, index) => readOne(each, index, dispatcher, rules));
  const named = read.map(
    ({ operation, label }, index) => operation ?? { index, name: suboperationName({ name: label }), path: "/", body: undefined },
  );
  const references = checkReferences(named);
  return read.map((each, index) => ({ ...each, fault: each.fault ?? references.get(index) }));
}

function readOne({ label, value, fault }: GivenOperation, index: number, dispatcher: Dispatcher, rules: SuboperationRules): JudgedOperation {
  if (fault !== undefined) return { label, operation: undefined, fault };
  try {
    const known = suboperationName({ name: label });
    const named = known === undefined || typeof value !== "object" ? value : { ...value, name: known };
    const operation = readSuboperation(named, index, rules);
    requireFit(operation, dispatcher, rules);
    return { label, operation, fault: undefined };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code === "ATOMIC_UNSUPPORTED") throw error;
    return { label, operation: undefined, fault: error };
  }
}

function requireFit({ method, path, headers }: Suboperation, dispatcher: Dispatcher, { mode, takesKeys }: SuboperationRules): void {
  const found = dispatcher.find(method, path)?.operation;
  if (found?.standsAlone) throw standsAlone(method, path);
  if (mode !== "atomic") return;
  if (found?.hasOwnEffects) {
    throw new ProblemError("ATOMIC_UNSUPPORTED", `${method} ${path.slice(0, 64)} has effects elsewhere: a batch with it cannot be atomic.`);
  }
  if (!takesKeys && headers.includes("idempotency-key")) {
    const fault = suboperationFault("/headers/idempotency-key", "Its record cannot commit with an atomic batch; give the key to the batch.");
    throw new ProblemError("INVALID_BATCH", fault.detail, { errors: [fault] });
  }
}

/** What cannot be one of several: batches, and whatever else answers otherwise than with one JSON value. */
export function standsAlone(method: string, path: string): ProblemError {
  const fault = suboperationFault("/url", `${method} ${path.slice(0, 64)} cannot be an operation of a batch; send it by itself.`);
  return new ProblemError("INVALID_BATCH", fault.detail, { errors: [fault] });
}
