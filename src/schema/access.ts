import type { Principal } from "../auth/verifier.js";
import type { FieldModel } from "./field.js";

/** Whether a principal may do something with a field. */
export type FieldRule = boolean | ((principal: Principal) => boolean);

/**
 * Who may touch a field. Everything is allowed unless said otherwise; `filter` and `sort` follow `read`.
 *
 * `read: false` makes the field write-only: everywhere but in writes it is answered as a field that does not exist.
 */
export interface FieldAccess {
  readonly read?: FieldRule | undefined;
  readonly write?: FieldRule | undefined;
  readonly filter?: FieldRule | undefined;
  readonly sort?: FieldRule | undefined;
  /**
   * What a principal without the right is told when it names the field: `"403"` says so, `"omit"` (default) leaves the field out of answers,
   * `"hide"` answers as if there were no such field.
   */
  readonly onForbidden?: "omit" | "403" | "hide" | undefined;
}

/** A field with its policy: what every room that names fields to a client works on. */
export interface GuardedField extends FieldModel {
  readonly access?: FieldAccess | undefined;
}

export type FieldUse = "read" | "write" | "filter" | "sort";

/** How a use of a field is answered for one principal. */
export type Permission = "allowed" | "forbidden" | "hidden";

/** Judges the use of a field for one request. */
export type Gate = (field: GuardedField, use: FieldUse) => Permission;

/**
 * The one gate that every path asks.
 *
 * @param only Fields that an `authorize` callback narrowed the request to: the others are forbidden, whatever their own rules say.
 */
export function gateFor(principal: Principal, only?: readonly string[] | undefined): Gate {
  return ({ name, access }, use) => {
    const allowed = permission(access, use, principal);
    return allowed === "allowed" && only?.includes(name) === false ? "forbidden" : allowed;
  };
}

/** What the rules of a field say. A field that hides itself from readers is not for them to write either, unless it says so. */
export function permission(access: FieldAccess | undefined, use: FieldUse, principal: Principal): Permission {
  if (access === undefined) return "allowed";
  const followsRead = use === "filter" || use === "sort" || (access.onForbidden === "hide" && access.read !== false);
  const rule = followsRead ? (access[use] ?? access.read) : access[use];
  if (use !== "write" && access.read === false) return "hidden";
  if (rule === undefined || rule === true) return "allowed";
  if (rule !== false && rule(principal)) return "allowed";
  return access.onForbidden === "hide" ? "hidden" : "forbidden";
}

/** Whether the answer can differ from one principal to the next. */
export function dependsOnPrincipal(access: FieldAccess | undefined): boolean {
  return access !== undefined && Object.values(access).some((rule) => typeof rule === "function");
}
