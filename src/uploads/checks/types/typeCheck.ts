import { ConfigurationError, listOfTexts, requireOptions } from "../../../problem/index.js";
import { type CheckInput, type FileCheck, pass, type Rejection } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { canonicalType, type FileType, fileTypeOf, fileTypes } from "./fileTypes.js";

/** Which files {@link typeCheck} takes. */
export interface TypeCheckOptions {
  /** Media types that are taken, such as `image/png`; `"any"` takes everything, whatever it says it is. */
  readonly types: readonly string[] | "any";
}

/** What is said of a file before its bytes are there. */
export type ClaimedType = Pick<CheckInput, "extension" | "declaredType">;

/**
 * Takes files of some types only. What the bytes say decides: the type must be one of `types`, the extension one of that type, and the declared type nothing,
 * `application/octet-stream`, that type, or another name of it. A name without an extension claims nothing.
 *
 * @throws {ConfigurationError} for a type that is not known here
 * @example
 * typeCheck({ types: ["image/png", "image/jpeg", "application/pdf"] });
 */
export function typeCheck(options: TypeCheckOptions): FileCheck {
  requireOptions("typeCheck", options, { types: true });
  return checkOfTypes("types", options);
}

/** @param place where the types stand, for messages */
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
 * Whether a file that is only announced may be one of these types, by its name and what it is said to be; `undefined` where it may.
 *
 * @throws {ConfigurationError} for a type that is not known here
 */
export function rejectClaim(types: TypeCheckOptions["types"], claim: ClaimedType): Rejection | undefined {
  if (types === "any") return undefined;
  const allowed = allowedTypes(types);
  return allowed.some((fileType) => isClaimed(fileType, claim)) ? undefined : refusal(allowed, { ...claim, detectedType: undefined }, "announced");
}

function allowedTypes(types: readonly string[], place = "types"): FileType[] {
  return listOfTexts(place, types, ', such as ["image/png"], or "any"').map((type) => {
    const known = fileTypeOf(canonicalType(type.toLowerCase()));
    if (known !== undefined) return known;
    throw new ConfigurationError(`"${place}" names "${type}", which is not recognised by its bytes. ${suggestion(type.toLowerCase())}`);
  });
}

/** What may be meant by a wildcard, an extension or a word, and else all that there is. */
function suggestion(type: string): string {
  const [family = "", subtype = ""] = type.split("/");
  const word = (subtype === "" || subtype === "*" ? family : "").replace(/^\./, "");
  const meant = word === "" ? [] : fileTypes.filter((one) => one.extensions.includes(word) || one.type.startsWith(`${word}/`));
  const names = (types: readonly FileType[]) => types.map((one) => one.type).join(", ");
  return meant.length > 0 ? `Name each type: ${names(meant)}.` : `Those that are: ${names(fileTypes)}.`;
}

function isClaimed({ type, extensions, aliases = [] }: FileType, { extension, declaredType }: ClaimedType): boolean {
  if (extension !== "" && !extensions.includes(extension)) return false;
  return declaredType === undefined || declaredType === "application/octet-stream" || declaredType === type || aliases.includes(declaredType);
}

type Refused = ClaimedType & Pick<CheckInput, "detectedType">;

function refusal(allowed: readonly FileType[], { extension, declaredType, detectedType }: Refused, by: "bytes" | "announced" = "bytes"): Rejection {
  const names = allowed.map(({ type }) => type);
  const found = detectedType === undefined ? "of no type that is known" : detectedType;
  const said = [extension === "" ? [] : [`"${extension}" by its name`], declaredType === undefined ? [] : [`"${declaredType}" by its header`]]
    .flat()
    .join(" and ");
  // Nobody has looked at what is only announced.
  const is = [by === "bytes" ? [found] : [], said === "" ? [] : [said]].flat().join(", and ");
  const taken = names.length === 0 ? "no file is taken here" : `allowed are ${names.join(", ")}, under names and types of their own`;
  const detail = `The file is ${is}; ${taken}.`;
  return reject("TYPE_NOT_ALLOWED", detail, { allowed: names, declared: declaredType ?? null, detected: detectedType ?? null, extension });
}
