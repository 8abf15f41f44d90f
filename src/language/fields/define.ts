import type { z } from "zod";
import type { defaultLimits, Limits } from "../../ground/limits/limits.js";
import { optionsCheck, strict, texts, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { introspectObject } from "../schema/introspect.js";
import { chooseFields, type FieldsRequest } from "./chooseFields.js";
import { compilePick } from "./pick.js";
import type { FieldKey, KnownFields, Select } from "./select.js";
import type { Selection } from "./selection.js";

/** The defaults of the service, which the compiler compares: two numbers, so that this entry does not include the table of forty. */
const bounds: Pick<typeof defaultLimits, "fields" | "fieldsDepth"> = { fields: 100, fieldsDepth: 4 };

/** Options of fields that a schema does not contain. */
export interface FieldsOptions<T, Heavy extends FieldKey<T> = never> {
  /** Fields that are shown only if they are named. */
  readonly heavy?: readonly Heavy[] | undefined;
  /** Fields that are shown by default (default: all but the heavy ones). */
  readonly compact?: readonly FieldKey<T>[] | undefined;
  /** Limits for texts of clients. */
  readonly limits?: Partial<Pick<Limits, "fields" | "fieldsDepth">> | undefined;
}

const check = /* @__PURE__ */ optionsCheck("defineFields", () =>
  strict<FieldsOptions<Record<string, unknown>>>({
    heavy: texts(),
    compact: texts(),
    limits: strict<typeof bounds>({ fields: whole(1), fieldsDepth: whole(1) }),
  }),
);

/** The fields of a schema, from which texts select. */
export interface Fields<T, Heavy extends string = never> {
  /**
   * Parses what a client sent.
   *
   * @throws {ProblemError} 400 with every fault listed
   */
  parse(request: string | FieldsRequest): Selection;
  /**
   * Compiles a selection. Values are copied without conversion. Compile once, use often.
   *
   * @throws {ProblemError} 400 with every fault listed
   */
  select<const F extends string>(fields: KnownFields<T, F>): (row: Readonly<T>) => Select<T, F, Heavy>;
  select(request: FieldsRequest | Selection): (row: Readonly<T>) => Partial<T>;
}

/**
 * Makes the fields of a schema selectable, without a server.
 *
 * @throws {ConfigurationError} if an option names a field that the schema does not have
 * @example
 * const userFields = defineFields(z.object({ id: z.int(), name: z.string(), bio: z.string() }), { heavy: ["bio"] });
 * userFields.select("*")({ id: 1, name: "Ada", bio: "…" }); // { id: 1, name: "Ada" }
 */
export function defineFields<S extends z.ZodObject, const Heavy extends FieldKey<z.output<S>> = never>(
  schema: S,
  options: FieldsOptions<z.output<S>, Heavy> = {},
): Fields<z.output<S>, Heavy> {
  check(options);
  const { heavy = [], compact } = options;
  const all = introspectObject(schema);
  const wrong = [...heavy, ...(compact ?? [])].find((name) => !all.has(name));
  if (wrong !== undefined) throw new ConfigurationError(`Unknown field "${wrong}"; the schema has: ${[...all.keys()].join(", ")}.`);
  const star = [...all.values()].flatMap(({ name, kind }) => (kind === "bytes" || heavy.some((each) => each === name) ? [] : [name]));
  const shown = new Map((compact ?? star).map((name) => [name, true as const]));
  const limits = { fields: options.limits?.fields ?? bounds.fields, fieldsDepth: options.limits?.fieldsDepth ?? bounds.fieldsDepth };
  const parse = (request: string | FieldsRequest) =>
    chooseFields(typeof request === "string" ? { fields: request } : request, { all, star, shown }, limits);
  const select = (request: string | FieldsRequest | Selection) => {
    const selection = typeof request === "object" && "canonical" in request ? request : parse(request);
    return compilePick(all, selection.fields ?? shown);
  };
  // The selection of a text is known only at run time; the signature describes it to the compiler.
  return { parse, select: select as Fields<z.output<S>, Heavy>["select"] };
}

/**
 * Compiles a selection of fields: `selectFields(userSchema, "id,address{city}")(user)`.
 *
 * @throws {ProblemError} 400 with every fault listed
 */
export function selectFields<S extends z.ZodObject, const F extends string, const Heavy extends FieldKey<z.output<S>> = never>(
  schema: S,
  fields: KnownFields<z.output<S>, F>,
  options?: FieldsOptions<z.output<S>, Heavy>,
): (row: Readonly<z.output<S>>) => Select<z.output<S>, F, Heavy> {
  return defineFields(schema, options).select<F>(fields);
}
