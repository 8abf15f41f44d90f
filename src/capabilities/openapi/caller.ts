import type { Access, Operation } from "../../engine/operation/operation.js";
import type { Principal } from "../../parts/auth/verifier.js";

/** Who a document is for, and what `authorize` refuses to it, as {@link textOf} names it. */
export interface Caller {
  readonly principal: Principal;
  readonly refused: ReadonlySet<string>;
}

type Asking = Pick<Operation, "access" | "asksLater">;

/** What `authorize` is asked of an operation, in groups of which one must be allowed. */
export function questionsOf({ access, asksLater = [] }: Asking): readonly (readonly Access[])[] {
  return access?.collection === undefined ? asksLater : [[access], ...asksLater];
}

/** Whether every request of an operation is refused. */
export function isRefused(operation: Asking, refused: Caller["refused"]): boolean {
  return questionsOf(operation).some((group) => group.length > 0 && group.every((question) => refused.has(textOf(question))));
}

/** A question as a text: equal questions have equal ones. */
export function textOf({ action, collection }: Access): string {
  return `${action} ${collection}`;
}
