import type { Secrets } from "../../ground/secrets/secrets.js";
import type { FilterTree } from "../../language/query/grammar/tree.js";
import { type ListIdentity, listText } from "../../language/query/paging/cursor.js";

/** What a position that a client holds belongs to. */
export interface Followed extends Pick<ListIdentity, "collection" | "tenant"> {
  readonly filter: FilterTree | undefined;
  /** The id of the principal. */
  readonly principal: string;
}

/** Writes and reads the positions that clients hold. They carry no authority: rights are asked again. */
export interface Positions {
  write(position: string): string;
  /** `undefined` for a text that was changed, or made for another principal, collection or filter. */
  read(text: string): string | undefined;
}

/** Positions of one list of one principal: `base64url.code`, signed but not secret. */
export function positionsOf({ principal, ...list }: Followed, secrets: Secrets): Positions {
  const signer = secrets.signer("live");
  const identity = JSON.stringify([principal, listText({ ...list, sort: [] })]);
  const signed = (position: string) => `${position}.${identity}`;
  return {
    write: (position) => `${Buffer.from(position).toString("base64url")}.${signer.sign(signed(position))}`,
    read(text) {
      const dot = text.indexOf(".");
      const position = Buffer.from(text.slice(0, dot), "base64url").toString();
      return dot > 0 && signer.verify(signed(position), text.slice(dot + 1)) ? position : undefined;
    },
  };
}
