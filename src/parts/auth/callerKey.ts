import { addressKey } from "../../ground/http/address/addressKey.js";
import { anonymous, type Principal } from "./verifier.js";

/** Tells callers apart: by their principal, and those without one by their address; `undefined` if the host does not give it. */
export function callerKey(principal: Principal | undefined, address: string | undefined): string | undefined {
  if (principal !== undefined && principal !== anonymous) {
    const { tenant = "", id } = principal;
    return `principal ${tenant.length} ${tenant} ${id}`;
  }
  return address === undefined ? undefined : `address ${addressKey(address)}`;
}
