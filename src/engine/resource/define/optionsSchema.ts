import { z } from "zod";
import {
  callable,
  either,
  flag,
  having,
  listOf,
  named,
  oneOf,
  optionsCheck,
  orFalse,
  passing,
  strict,
  text,
  texts,
  whole,
} from "../../../ground/options/index.js";
import { querySchemas } from "../../../language/query/optionsSchemas.js";
import type { FieldAccess } from "../../../language/schema/access.js";
import type { ResourceBatchOptions, ResourceEvent, ResourceImportOptions, ResourceOptions } from "../options.js";
import { type BelongsTo, belongsToRules, type HasMany } from "../relations/relation.js";
import { hooksSchema } from "./hooksSchema.js";

/** Refuses options of `defineResource` that are unknown or of a wrong type. @throws {ConfigurationError} */
export const checkResourceOptions = /* @__PURE__ */ optionsCheck("defineResource", () =>
  strict<ResourceOptions<z.ZodObject>>(
    {
      ...dataSchemas(),
      ...querySchemas(),
      ...operationSchemas(),
    },
    ["schema"],
  ),
);

/** What rows are. */
function dataSchemas() {
  return {
    schema: objectSchema(),
    id: either("the name of a field, an array of names, or false", text(), z.tuple([text()], text()), oneOf(false)),
    generated: named(oneOf("increment", "ulid", "uuid", "createdAt", "updatedAt", "database", "code"), "an object with generators by their fields"),
    unique: listOf(
      either(
        "the name of a field, an array of names, or { fields, index }",
        text(),
        texts(),
        strict({ fields: texts(), index: text() }, ["fields", "index"]),
      ),
      "an array of fields",
    ),
    table: named(z.unknown(), "an object with the name of an existing table"),
    renamedFrom: named(text(), "an object with the earlier names of fields"),
    backfill: named(callable(), "an object with functions by their fields"),
    compact: texts(),
    heavy: texts(),
    access: named(accessSchema(), "an object with rules by their fields"),
    readOnly: texts(),
    scope: callable(),
    stamp: named(stampSchema(), "an object with functions by their fields"),
    relations: named(relationSchema(), "an object with relations, made by belongsTo and hasMany"),
    index: either("true, or an array of fields", z.literal(true), paths()),
  };
}

/** What clients may do with them, and what happens then. */
function operationSchemas() {
  return {
    requireIfMatch: flag(),
    requireIdempotencyKey: flag(),
    events: named(eventSchema(), "an object with events by their types"),
    batch: orFalse(strict<ResourceBatchOptions>({ mode: oneOf("best-effort", "atomic"), clientMode: flag(), maxItems: whole(1) })),
    import: orFalse(strict<ResourceImportOptions>({ generated: texts() })),
    export: oneOf(false),
    versions: named(listOf(having("a change, made by change()", "read"), "an array of changes")),
    cache: named(z.unknown(), "an object with directives of Cache-Control"),
    live: flag(),
    anonymous: oneOf("read"),
    operations: listOf(oneOf("list", "read", "create", "replace", "update", "remove"), "an array of operations"),
    accepts: listOf(oneOf("json", "form", "multipart", "xml"), "an array of formats"),
    create: callable(),
    hooks: hooksSchema(),
    actions: callable(),
    acceptWeakIfMatch: flag(),
    strictPatchTypes: flag(),
    missingDelete: oneOf(204, 404),
  };
}

function objectSchema(): z.ZodType {
  return passing("a z.object schema", (value) => (value as Partial<z.ZodType> | null | undefined)?._zod?.def.type === "object");
}

const fieldNames = () => either("the name of a field, or an array of names", text(), texts());
const paths = () => listOf(fieldNames(), "an array of fields");

function accessSchema(): z.ZodType {
  const rule = () => either("true, false or a function", flag(), callable());
  return strict<FieldAccess>({ read: rule(), write: rule(), filter: rule(), sort: rule(), onForbidden: oneOf("omit", "403", "hide") });
}

function stampSchema(): z.ZodType {
  return either('a function, or { on: "write", set }', callable(), strict({ on: oneOf("write"), set: callable() }, ["on", "set"]));
}

function relationSchema(): z.ZodType {
  const common = { collection: text("the name of a collection"), foreignKey: fieldNames() };
  const required = ["kind", "collection", "foreignKey"] as const;
  return z.discriminatedUnion(
    "kind",
    [
      strict<BelongsTo>({ kind: oneOf("belongsTo"), ...common, ...belongsToRules() }, required),
      strict<HasMany>({ kind: oneOf("hasMany"), ...common }, required),
    ],
    '"belongsTo" or "hasMany", as the functions of these names make it',
  );
}

function eventSchema(): z.ZodType {
  const kinds = () => oneOf("create", "update", "remove");
  const on = either('"create", "update", "remove" or an array of them', kinds(), listOf(kinds(), ""));
  return strict<ResourceEvent<never>>({ on, when: callable(), data: callable(), schema: objectSchema() }, ["on"]);
}
