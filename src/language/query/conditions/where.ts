import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { emptyValue, forbiddenField, tooComplex, unknownOperator } from "../fault.js";
import { allOf, type FilterTree } from "../grammar/tree.js";
import type { Parsing } from "../parsing.js";
import { unknownField } from "../unknownField.js";
import { checkPatterns } from "../values/patterns.js";
import type { QueryField } from "./field.js";
import { readCondition } from "./jsonCondition.js";
import { isOperator } from "./operator.js";
import { type JsonPath, mayGoOn, type Reading } from "./reading.js";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a filter as JSON has it: `{ "total": { "gte": 5 }, "or": [{ "status": "open" }, { "note": null }] }`. Members are combined with AND; the words
 * `and`, `or` and `not` are never fields.
 *
 * Faults are collected, each with the pointer of its place; the result is then of no use.
 *
 * @param path where in the body the filter stands
 */
export function parseWhere(value: unknown, parsing: Parsing, path: JsonPath = []): FilterTree | undefined {
  const { settings, faults } = parsing;
  const reading: Reading = { ...parsing, nodes: 0 };
  const filter = readObject(reading, value, path, 1);
  const { filterNodes } = settings.limits;
  if (reading.nodes > filterNodes) faults.push(tooComplex("Conditions of the filter", reading.nodes, filterNodes, { pointer: pointer(path) }));
  checkPatterns(filter === undefined ? [] : [filter], settings.limits, faults, { pointer: pointer(path) });
  return filter;
}

function readObject(reading: Reading, value: unknown, path: JsonPath, depth: number): FilterTree | undefined {
  const { settings, faults } = reading;
  if (!isObject(value)) {
    faults.push({ code: "INVALID_VALUE", detail: "A filter must be an object.", pointer: pointer(path) });
    return undefined;
  }
  if (depth > settings.limits.filterDepth) {
    faults.push(tooComplex("Depth of the filter", depth, settings.limits.filterDepth, { pointer: pointer(path) }));
    return undefined;
  }
  return allOf(readMembers(reading, value, path, (name, member, at) => readClause(reading, name, member, at, depth)));
}

function readMembers(
  reading: Reading,
  value: JsonObject,
  path: JsonPath,
  read: (name: string, member: unknown, path: JsonPath) => FilterTree | undefined,
): FilterTree[] {
  const filters: FilterTree[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (!mayGoOn(reading)) break;
    const filter = read(name, member, [...path, name]);
    if (filter !== undefined) filters.push(filter);
  }
  return filters;
}

function readClause(reading: Reading, name: string, value: unknown, path: JsonPath, depth: number): FilterTree | undefined {
  switch (name) {
    case "and":
    case "or":
      return readJunction(reading, name, value, path, depth);
    case "not":
      return { op: "not", arg: readObject(reading, value, path, depth + 1) ?? everyRow };
    default:
      if (isObject(value) && isRelation(reading, name)) return readRelation(reading, name, value, path);
      return readNamed(reading, name, value, path);
  }
}

/** An empty object asks for nothing, which every row meets. */
const everyRow: FilterTree = { op: "and", args: [] };

function readJunction(reading: Reading, op: "and" | "or", value: unknown, path: JsonPath, depth: number): FilterTree | undefined {
  if (!Array.isArray(value)) {
    reading.faults.push({ code: "INVALID_VALUE", detail: `"${op}" must be an array of filters.`, pointer: pointer(path) });
    return undefined;
  }
  const args: FilterTree[] = [];
  for (const [index, arg] of value.entries()) {
    if (!mayGoOn(reading)) break;
    args.push(readObject(reading, arg, [...path, index], depth + 1) ?? everyRow);
  }
  return { op, args };
}

/** Whether a relation leads to a field that this principal may know of. */
function isRelation({ table, gate }: Reading, name: string): boolean {
  if (!table.relations.has(name)) return false;
  return [...table.fields.values()].some(({ relation, root }) => relation === name && gate(root, "filter") !== "hidden");
}

/** Conditions on the related row: `{ "customer": { "name": "Ada" } }`. */
function readRelation(reading: Reading, relation: string, value: JsonObject, path: JsonPath): FilterTree | undefined {
  if (Object.keys(value).length === 0) reading.faults.push(emptyValue(relation, { pointer: pointer(path) }));
  return allOf(readMembers(reading, value, path, (name, member, at) => readNamed(reading, `${relation}.${name}`, member, at)));
}

/** @param key path of the field with dots */
function readNamed(reading: Reading, key: string, value: unknown, path: JsonPath): FilterTree | undefined {
  const { table, gate, faults } = reading;
  const field = table.fields.get(key);
  const allowed = field === undefined ? "hidden" : gate(field.root, "filter");
  if (field === undefined || allowed === "hidden") unknownField(key, { pointer: pointer(path) }, reading);
  else if (allowed === "forbidden") faults.push(forbiddenField(key, "filter", { pointer: pointer(path) }));
  else return readField(reading, field, value, path);
  return undefined;
}

function readField(reading: Reading, field: QueryField, value: unknown, path: JsonPath): FilterTree | undefined {
  if (!isObject(value)) return readCondition(reading, field, Array.isArray(value) ? "in" : "eq", value, path);
  if (Object.keys(value).length === 0) reading.faults.push(emptyValue(field.key, { pointer: pointer(path) }));
  return allOf(readMembers(reading, value, path, (name, member, at) => readOperatorOrMember(reading, field, name, member, at)));
}

/** A member of the field wins over an operator of its name. */
function readOperatorOrMember(reading: Reading, field: QueryField, name: string, value: unknown, path: JsonPath): FilterTree | undefined {
  const key = `${field.key}.${name}`;
  const isMember = reading.table.fields.has(key);
  if (!isMember && isOperator(name)) return readCondition(reading, field, name, value, path);
  // Of a field that has members an unknown word is rather one of them.
  if (isMember || field.field.kind === "object") return readNamed(reading, key, value, path);
  reading.faults.push(unknownOperator(name, field, { pointer: pointer(path) }));
  return undefined;
}
