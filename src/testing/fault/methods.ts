import type { Lifetime } from "./lifetime.js";

/** Wraps the methods of an object, so that they count as calls. Missing methods stay missing; members of `own` replace those of the object. */
export function countedMethods<T extends object, O extends object>(target: T, name: string, lifetime: Lifetime, own: O): T & O {
  const get = (_target: T, member: string | symbol): unknown => {
    if (Object.hasOwn(own, member)) return Reflect.get(own, member, own);
    const value: unknown = Reflect.get(target, member, target);
    if (typeof value !== "function") return value;
    const label = `${name}.${String(member)}`;
    return (...values: unknown[]) => lifetime.call(label, async (): Promise<unknown> => Reflect.apply(value, target, values));
  };
  return new Proxy(target, { get }) as T & O;
}
