interface Groups<Key, Value> {
  get(key: Key): Value[] | undefined;
  set(key: Key, values: Value[]): unknown;
}

/** Adds a value to those of its key. */
export function addTo<Key, Value>(groups: Groups<Key, Value>, key: Key, value: Value): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}
