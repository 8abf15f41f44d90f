import { codes as registry } from "../../../src/ground/problem/index.js";
import { type FoundOperation, resolve } from "./operations.js";
import type { DocumentedCollection, ServiceDocument } from "./readDocument.js";
import { literal, type Schema, type TypeTexts, union } from "./typeText.js";

type Members = Readonly<Record<string, Schema>>;

/** A field, with the texts of its types. */
export interface DescribedField {
  readonly name: string;
  readonly output: string;
  readonly input: string;
  /** Whether a row may lack it. */
  readonly isOptional: boolean;
  /** Whether a new row may lack it, although a row has it. */
  readonly hasDefault: boolean;
  readonly isFixed: boolean;
  /** Whether no row shows it. */
  readonly isWriteOnly: boolean;
}

/** An action, with the texts of its types. */
export interface DescribedAction {
  readonly name: string;
  readonly on: "row" | "collection";
  readonly method: "GET" | "POST";
  readonly input: string;
  readonly answer: string;
}

/** What the types of a collection say: see `ResourceTypes`. Names of fields are unions. */
export interface DescribedCollection {
  readonly name: string;
  readonly fields: readonly DescribedField[];
  readonly types: Readonly<Record<string, string>>;
  readonly relations: DocumentedCollection["relations"];
  readonly events: readonly string[];
  readonly actions: readonly DescribedAction[];
}

/** What collections are described from. */
export interface DescribedFrom {
  readonly document: ServiceDocument;
  readonly operations: ReadonlyMap<string, FoundOperation>;
  readonly texts: TypeTexts;
}

/** Describes a collection of a document for the compiler. */
export function describeCollection(from: DescribedFrom, name: string): DescribedCollection {
  const { document, operations, texts } = from;
  const documented = document.components["x-restwright-collections"][name] as DocumentedCollection;
  const { id, views, restricted, relations, events, filter, sort } = documented;
  const fields = fieldsOf(document, documented, texts);
  const shown = fields.filter(({ isWriteOnly }) => !isWriteOnly).map((field) => field.name);
  const roots = (paths: readonly string[]) => shown.filter((field) => paths.some((path) => path === field || path.startsWith(`${field}.`)));
  const writeOnly = fields.filter(({ isWriteOnly }) => isWriteOnly).map((field) => field.name);
  const fixed = fields.filter(({ isFixed }) => isFixed).map((field) => field.name);
  return {
    name,
    fields,
    relations,
    events,
    types: {
      id: names(id),
      key: id.length === 0 ? "false" : id.length === 1 ? names(id) : `readonly [${id.map(literal).join(", ")}]`,
      generated: names(fixed),
      readOnly: "never",
      stamped: "never",
      heavy: names(shown.filter((field) => !views.full.includes(field))),
      compact: names(views.compact),
      ruled: names([...restricted, ...writeOnly]),
      writeOnly: names(writeOnly),
      filterable: names(roots(Object.keys(filter))),
      sortable: names(roots(sort)),
      operations: names(documented.operations),
      files: names(documented.files),
      codes: names(ownCodes(operations, name)),
    },
    actions: Object.entries(documented.actions).map(([action, on]) => {
      const operation = operations.get(`${name}.${action}`);
      return {
        name: action,
        on,
        method: operation?.method === "GET" ? "GET" : "POST",
        input: inputOf(operation, from),
        answer: answerOf(operation?.answer ?? {}, on, `#/components/schemas/${documented.schema}`, texts),
      };
    }),
  };
}

function names(all: readonly string[]): string {
  return union(all.map(literal));
}

/** The codes that are not of the registry: those of unique keys, of actions, and of what the database refuses. */
function ownCodes(operations: DescribedFrom["operations"], collection: string): readonly string[] {
  // `users.orders.list` is an operation of `orders`.
  const all = [...operations].flatMap(([id, { codes }]) => (id.slice(0, id.lastIndexOf(".")) === collection ? codes : []));
  return [...new Set(all)].filter((code) => !Object.hasOwn(registry, code)).toSorted();
}

function membersOf(document: ServiceDocument, schema: string): Members {
  return (resolve(document, { $ref: `#/components/schemas/${schema}` })["properties"] ?? {}) as Members;
}

/** The fields of rows, and those that only bodies have. */
function fieldsOf(
  document: ServiceDocument,
  { schema, relations, optional, files }: DocumentedCollection,
  texts: TypeTexts,
): readonly DescribedField[] {
  const added = new Set(Object.keys(relations).flatMap((relation) => [relation, `${relation}Truncated`]));
  const row = { ...membersOf(document, `${schema}Listed`), ...membersOf(document, schema) };
  const bodies = ["Create", "Replace", "Patch"].map((body) => membersOf(document, schema + body));
  const input: Members = Object.assign({}, ...bodies.toReversed());
  const required = resolve(document, { $ref: `#/components/schemas/${schema}Create` })["required"] as readonly string[] | undefined;
  const columns = Object.keys(row).filter((name) => !added.has(name));
  return [...new Set([...columns, ...Object.keys(input)])].map((name) => {
    // The type of a row has the id of a file; calls that show the file have types of their own.
    const [shown, sent] = [files.includes(name) ? idOfFile(row[name]) : row[name], input[name]];
    const isFixed = sent === undefined || isReadOnly(shown) || isReadOnly(sent);
    const isOptional = optional.includes(name) || (shown === undefined && required?.includes(name) === false);
    const output = texts.of(shown ?? sent ?? true);
    return {
      name,
      output,
      input: isFixed ? output : texts.of(sent),
      isOptional,
      hasDefault: !isOptional && !isFixed && required?.includes(name) === false,
      isFixed,
      isWriteOnly: shown === undefined,
    };
  });
}

function idOfFile(schema: Schema | undefined): Schema | undefined {
  return typeof schema === "object" ? (schema["anyOf"] as readonly Schema[] | undefined)?.[0] : schema;
}

function isReadOnly(schema: Schema | undefined): boolean {
  return typeof schema === "object" && schema["readOnly"] === true;
}

/** An input without required members may be left out. */
function inputOf(operation: FoundOperation | undefined, { document, texts }: DescribedFrom): string {
  if (operation?.method === "GET" && operation.query.length > 0) {
    const { query } = operation;
    const required = query.filter((parameter) => parameter.required).map((parameter) => parameter.name);
    const input = texts.object(Object.fromEntries(query.map((parameter) => [parameter.name, parameter.schema])), required);
    return required.length === 0 ? union([input, "undefined"]) : input;
  }
  if (operation?.body === undefined) return "undefined";
  const { required = [] } = resolve(document, operation.body);
  return union([texts.of(operation.body), ...((required as readonly string[]).length === 0 ? ["undefined"] : [])]);
}

/** An action on a row answers the row, or what it declares; one without a declared answer may answer anything. */
function answerOf(answer: Schema, on: "row" | "collection", row: string, texts: TypeTexts): string {
  if (on === "collection") return texts.of(answer);
  const choices = typeof answer === "object" ? answer["anyOf"] : undefined;
  if (!Array.isArray(choices)) return "RowAnswer";
  const others = choices.filter((choice) => (choice as { readonly $ref?: string }).$ref !== row);
  return union(["RowAnswer", ...others.map((choice) => texts.of(choice as Schema))]);
}
