import { type Symbol as Declared, SignatureKind, SymbolFlags, type Type } from "typescript/unstable/sync";
import type { Declarations } from "../declarations/program.js";

/** What the declaration of an option says. */
export interface OptionDocs {
  readonly isRequired: boolean;
  /** The text of its TSDoc, in one line. */
  readonly text: string;
}

/** Options whose type no function of the entry takes: the method that takes them belongs to what the function returns. */
const namedTypes: Readonly<Record<string, string>> = {
  ". createService asSystem": "SystemOptions",
  ". defineResource stamp": "StampOption",
  "./actions actions action": "ActionOptions",
  "./openapi openapi document": "DocumentFor",
  "./jobs jobs enqueue": "EnqueueOptions",
  "./languages languages de": "Catalogue",
  "./subscribers subscribers on": "SubscriberOptions",
  "./subscribers subscribers list": "SubscriberQuery",
  "./subscribers subscribers replay": "ReplayQuery",
};

/**
 * Finds the declarations of options.
 *
 * @param of entry, function and path: `./uploads uploads forms.limits`
 * @param names the names that the function accepts
 * @throws {Error} if no type declares these names, or if it declares others
 * @example
 * optionDocs(declarations, "./jobs jobs", ["work", "concurrency"]).get("work")
 */
export function optionDocs(declarations: Declarations, of: string, names: readonly string[]): ReadonlyMap<string, OptionDocs> {
  const { checker } = declarations;
  for (const types of typesOf(declarations, of)) {
    const found = names.map((name) => [name, propertyOf(declarations, types, name)] as const);
    if (found.some(([, property]) => property === undefined)) continue;
    const whole = types.find((type) => !type.isUnionType() && names.every((name) => checker.getPropertyOfType(type, name) !== undefined));
    const refused = whole && checker.getPropertiesOfType(whole).find(({ name }) => !names.includes(name));
    if (refused !== undefined) throw new Error(`${of}: "${refused.name}" is declared, but the function does not accept it.`);
    return new Map(found.flatMap(([name, property]) => (property === undefined ? [] : [[name, docsOf(declarations, property)]])));
  }
  throw new Error(`${of}: no type declares ${names.join(", ")}.`);
}

function docsOf({ checker }: Declarations, property: Declared): OptionDocs {
  return {
    isRequired: (property.flags & SymbolFlags.Optional) === 0,
    text: property.getDocumentationComment(checker).replaceAll(/\s+/g, " ").trim(),
  };
}

/** For each parameter of the function: the types that its options may have. */
function* typesOf(declarations: Declarations, of: string): Generator<readonly Type[]> {
  const { checker } = declarations;
  const [entry = "", name = "", ...rest] = of.split(" ");
  const exported = declarations.exportsOf(entry);
  const symbol = exported.get(namedTypes[of] ?? name);
  if (symbol === undefined) throw new Error(`"${entry}" does not export "${namedTypes[of] ?? name}".`);
  if (of in namedTypes) return yield reachable(declarations, checker.getDeclaredTypeOfSymbol(symbol));
  const path = rest.join(".").split(".").filter(Boolean);
  const type = checker.getTypeOfSymbol(symbol);
  for (const signature of type === undefined ? [] : checker.getSignaturesOfType(type, SignatureKind.Call)) {
    for (const parameter of signature.getParameters()) {
      yield path.reduce(
        (types, step) => types.flatMap((owner) => reachable(declarations, memberType(declarations, owner, step))),
        reachable(declarations, checker.getTypeOfSymbol(parameter)),
      );
    }
  }
}

function memberType({ checker }: Declarations, type: Type, name: string): Type | undefined {
  const property = checker.getPropertyOfType(type, name);
  return property && checker.getTypeOfSymbol(property);
}

/** Of alternatives, the first that documents the property: others may only say that it is absent. */
function propertyOf({ checker }: Declarations, types: readonly Type[], name: string): Declared | undefined {
  const properties = types.flatMap((type) => (type.isUnionType() ? [] : (checker.getPropertyOfType(type, name) ?? [])));
  return properties.find((property) => property.getDocumentationComment(checker) !== "") ?? properties[0];
}

/** A type, its alternatives, and what its arrays and records hold: `forms` is a record of options. */
function reachable(declarations: Declarations, type: Type | undefined, depth = 0): Type[] {
  if (type === undefined || depth > 4) return [];
  const { checker } = declarations;
  const inner: (Type | undefined)[] = checker.getIndexInfosOfType(type).map(({ valueType }) => valueType);
  if (type.isUnionType() || type.isIntersectionType()) inner.push(...type.getTypes());
  if (type.isTypeParameter()) inner.push(checker.getBaseConstraintOfType(type));
  if (type.isTypeReference() && checker.isArrayLikeType(type)) inner.push(...checker.getTypeArguments(type));
  return [type, ...inner.flatMap((each) => reachable(declarations, each, depth + 1))];
}
