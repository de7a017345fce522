import { Time } from './Time.tsx';

/** Who did something, and when. */
export function By({ person, at }: { readonly person: string | null; readonly at: string }) {
  return (
    <>
      {person}, <Time at={at} />
    </>
  );
}
