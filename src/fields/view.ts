import { createHash } from "node:crypto";
import type { Principal } from "../auth/verifier.js";
import { dependsOnPrincipal, type GuardedField, permission } from "../schema/access.js";
import type { Convert } from "../schema/wire.js";

/** A field as views need it. */
export interface ViewField extends GuardedField {
  readonly heavy: boolean;
  readonly toOutput?: Convert | undefined;
}

/** A choice of fields, compiled: what one kind of reader gets to see of a row. */
export interface View {
  /** Names the view in an ETag; `undefined` for the full default representation. */
  readonly tag: string | undefined;
  readonly names: ReadonlySet<string>;
  /** The JSON value of a row. A field without a value is null where the schema says nullable, absent otherwise. */
  select(row: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

export type ViewKind = "full" | "compact";

/** Views are made from what principals may read; more different ones than this are not kept. */
const maximumCached = 256;

/** The views of one collection, by kind and by what the principal may read. */
export class Views {
  readonly #fields: readonly ViewField[];
  readonly #kinds: Record<ViewKind, ReadonlySet<string>>;
  readonly #dynamic: readonly ViewField[];
  readonly #constant: Record<ViewKind, View>;
  readonly #cache = new Map<string, View>();

  constructor(fields: Iterable<ViewField>, compact?: readonly string[] | undefined) {
    this.#fields = [...fields].filter((field) => field.access?.read !== false);
    const full = new Set(this.#fields.filter((field) => !field.heavy).map((field) => field.name));
    this.#kinds = { full, compact: compact ? new Set(compact) : full };
    this.#dynamic = this.#fields.filter((field) => dependsOnPrincipal(field.access));
    this.#constant = { full: this.#compile("full", () => true, true), compact: this.#compile("compact", () => true, true) };
  }

  /**
   * The view of a kind for a principal.
   *
   * @param only Names that an `authorize` callback narrowed the answer to.
   */
  of(kind: ViewKind, principal: Principal, only?: readonly string[] | undefined): View {
    if (this.#dynamic.length === 0 && only === undefined) return this.#constant[kind];
    const denied = this.#dynamic.filter((field) => permission(field.access, "read", principal) !== "allowed").map((field) => field.name);
    if (denied.length === 0 && only === undefined) return this.#constant[kind];
    const key = only === undefined ? `${kind} ${denied.join()}` : JSON.stringify([kind, denied, only]);
    let view = this.#cache.get(key);
    if (view === undefined) {
      view = this.#compile(kind, (name) => !denied.includes(name) && (only === undefined || only.includes(name)), false);
      if (this.#cache.size >= maximumCached) this.#cache.clear();
      this.#cache.set(key, view);
    }
    return view;
  }

  #compile(kind: ViewKind, readable: (name: string) => boolean, everything: boolean): View {
    const wanted = this.#kinds[kind];
    const fields = [...wanted].flatMap((name) => this.#fields.find((field) => field.name === name && readable(name)) ?? []);
    const names = fields.map((field) => field.name);
    const isDefault = everything && (kind === "full" || wanted === this.#kinds.full);
    return { tag: isDefault ? undefined : hashOf(names), names: new Set(names), select: compileSelect(fields) };
  }
}

function compileSelect(fields: readonly ViewField[]): View["select"] {
  const columns = fields.map(({ name, nullable, toOutput }) => ({ name, nullable, toOutput }));
  return (row) => {
    const selected: Record<string, unknown> = {};
    for (const { name, nullable, toOutput } of columns) {
      const value = row[name];
      if (value !== undefined && value !== null) selected[name] = toOutput === undefined ? value : toOutput(value);
      else if (nullable) selected[name] = null;
    }
    return selected;
  };
}

function hashOf(names: readonly string[]): string {
  return createHash("sha256").update(names.join(",")).digest("hex").slice(0, 8);
}
