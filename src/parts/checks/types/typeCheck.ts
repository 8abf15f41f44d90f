import { z } from "zod";
import { either, optionsCheck, strict, texts } from "../../../ground/options/index.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { type CheckInput, type FileCheck, pass, type Rejection } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { canonicalType, type FileType, fileTypeOf, fileTypes } from "./fileTypes.js";

/** Options of {@link typeCheck}. */
export interface TypeCheckOptions {
  /** Accepted media types, such as `image/png`; `"any"` accepts every file, whatever it claims to be. */
  readonly types: readonly string[] | "any";
}

const checkTypeCheckOptions = /* @__PURE__ */ optionsCheck("typeCheck", () => strict<TypeCheckOptions>({ types: typesSchema() }, ["types"]));
const checkTypes = /* @__PURE__ */ optionsCheck("types", typesSchema);

/** The schema of accepted types. */
export function typesSchema(): z.ZodType {
  return either('an array of texts, such as ["image/png"], or "any"', z.literal("any"), texts());
}

/** What a client claims about a file before its bytes arrive. */
export type ClaimedType = Pick<CheckInput, "extension" | "declaredType">;

/**
 * Accepts files of some types only. The bytes decide: their type must be one of `types`, the extension must belong to it, and the declared type must be missing,
 * `application/octet-stream`, that type, or another name of it. A name without an extension makes no claim.
 *
 * @throws {ConfigurationError} for an unknown type
 * @example
 * typeCheck({ types: ["image/png", "image/jpeg", "application/pdf"] });
 */
export function typeCheck(options: TypeCheckOptions): FileCheck {
  checkTypeCheckOptions(options);
  return checkOfTypes("types", options);
}

/** @param place the option that contains the types, for messages */
export function checkOfTypes(place: string, { types }: TypeCheckOptions): FileCheck {
  if (types === "any") return { name: "type", needs: "head", run: async () => pass };
  const allowed = allowedTypes(types, place);
  return {
    name: "type",
    needs: "head",
    async run(input) {
      const detected = allowed.find(({ type }) => type === input.detectedType);
      return detected !== undefined && isClaimed(detected, input) ? pass : refusal(allowed, input);
    },
  };
}

/**
 * Checks an announced file by its name and declared type, before its bytes arrive. `undefined` if it may be of one of these types.
 *
 * @throws {ConfigurationError} for an unknown type
 */
export function rejectClaim(types: TypeCheckOptions["types"], claim: ClaimedType): Rejection | undefined {
  checkTypes(types);
  if (types === "any") return undefined;
  const allowed = allowedTypes(types);
  return allowed.some((fileType) => isClaimed(fileType, claim)) ? undefined : refusal(allowed, { ...claim, detectedType: undefined }, "announced");
}

function allowedTypes(types: readonly string[], place = "types"): FileType[] {
  return types.map((type) => {
    const known = fileTypeOf(canonicalType(type.toLowerCase()));
    if (known !== undefined) return known;
    throw new ConfigurationError(`"${place}" names "${type}", which is not recognised by its bytes. ${suggestion(type.toLowerCase())}`);
  });
}

/** The types that a wildcard, an extension or a word may mean; otherwise all types. */
function suggestion(type: string): string {
  const [family = "", subtype = ""] = type.split("/");
  const word = (subtype === "" || subtype === "*" ? family : "").replace(/^\./, "");
  const meant = word === "" ? [] : fileTypes.filter((one) => one.extensions.includes(word) || one.type.startsWith(`${word}/`));
  const names = (types: readonly FileType[]) => types.map((one) => one.type).join(", ");
  return meant.length > 0 ? `Name each type: ${names(meant)}.` : `Those that are: ${names(fileTypes)}. "any" accepts all files.`;
}

function isClaimed({ type, extensions, aliases = [] }: FileType, { extension, declaredType }: ClaimedType): boolean {
  if (extension !== "" && !extensions.includes(extension)) return false;
  return declaredType === undefined || declaredType === "application/octet-stream" || declaredType === type || aliases.includes(declaredType);
}

type Refused = ClaimedType & Pick<CheckInput, "detectedType">;

function refusal(allowed: readonly FileType[], { extension, declaredType, detectedType }: Refused, by: "bytes" | "announced" = "bytes"): Rejection {
  const names = allowed.map(({ type }) => type);
  const found = detectedType === undefined ? "of an unknown type" : detectedType;
  const said = [extension === "" ? [] : [`"${extension}" by its name`], declaredType === undefined ? [] : [`"${declaredType}" by its header`]]
    .flat()
    .join(" and ");
  // The bytes of an announced file have not been checked.
  const is = [by === "bytes" ? [found] : [], said === "" ? [] : [said]].flat().join(", and ");
  const taken = names.length === 0 ? "no files are accepted" : `allowed are ${names.join(", ")}, under names and types of their own`;
  const detail = `The file is ${is}; ${taken}.`;
  return reject("TYPE_NOT_ALLOWED", detail, { allowed: names, declared: declaredType ?? null, detected: detectedType ?? null, extension });
}
