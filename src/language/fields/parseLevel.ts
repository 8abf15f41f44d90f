import { exceedsLimits, exceedsNesting, type Inquiry, refuseEmpty, whereOf } from "./inquiry.js";
import { addItem, type GrowingLevel, type Level, newLevel, openLevel } from "./level.js";
import type { SelectionText } from "./selection.js";
import { isNoItem, readToken, type Token } from "./token.js";

/** Parses `id,address{city,geo.lat}`, without recursion. A fault is reported and ends parsing. */
export function parseLevel({ text, place }: SelectionText, inquiry: Inquiry): Level | undefined {
  if (text.trim() === "") return refuseEmpty(place, inquiry);
  const outer: GrowingLevel[] = [];
  let level = newLevel(place);
  let isAfterBrace = false;
  for (let token = readToken(text, 0); ; token = readToken(text, token.end + 1)) {
    const { path, delimiter } = token;
    const fault = braceFault(token, isAfterBrace, outer.length);
    if (fault !== undefined) return inquiry.report("INVALID_VALUE", `"${whereOf(place)}" ${fault}.`, place);
    if (!isAfterBrace && isNoItem(token, false, place, inquiry)) return undefined;
    if (delimiter === "{") {
      if (exceedsNesting(inquiry, level.nesting + path.length, place)) return undefined;
      outer.push(level);
      level = openLevel(level, path);
      continue;
    }
    if (!isAfterBrace) {
      if (exceedsLimits(inquiry, level.nesting + path.length - 1, place)) return undefined;
      addItem(level, token);
    }
    isAfterBrace = delimiter === "}";
    if (delimiter === ",") continue;
    if (!closeLevel(level, inquiry)) return undefined;
    const around = outer.pop();
    if (around === undefined) return level;
    level = around;
  }
}

function braceFault({ text, at, delimiter, end }: Token, isAfterBrace: boolean, open: number): string | undefined {
  if (isAfterBrace && (text !== "" || delimiter === "{")) return `needs a comma at character ${at}`;
  if (delimiter === "}" && open === 0) return `has no open brace at character ${end + 1}`;
  return delimiter === "" && open > 0 ? `has an open brace at character ${end + 1}` : undefined;
}

/** Names with a minus are subtracted from `*`, which is implied if there are no other names. */
function closeLevel(level: GrowingLevel, { report }: Inquiry): boolean {
  level.all ||= level.names.size === 0;
  if (level.all || level.minus === undefined) return true;
  report("INVALID_VALUE", `"${whereOf(level.place)}" mixes names with and without a minus.`, level.place, `*,${level.minus.slice(0, 64)}`);
  return false;
}
