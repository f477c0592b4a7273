/** Views whose code is loaded when they are opened, or when the browser is idle. */
import type { ComponentType, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Trouble } from '../api/client.ts';
import { Failed, Loading } from './states.tsx';

interface Lazy<Props> {
  readonly Show: ComponentType<Props>;
  /** Begins to load it; again after it failed. */
  readonly load: () => Promise<void>;
}

const notLoaded: Trouble = {
  code: 'no_server',
  message: 'This part of the page did not come',
  remedy: 'Is sonde still running? After an update of sonde, load the page again.',
};

export function lazy<Props extends object>(
  title: string,
  bring: () => Promise<ComponentType<Props>>,
): Lazy<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const load = (): Promise<void> => {
    loading ??= bring().then(
      (view) => {
        Loaded = view;
      },
      (thrown: unknown) => {
        loading = undefined;
        throw thrown;
      },
    );
    return loading;
  };
  function Show(props: Props): VNode {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(Loaded ? 'loaded' : 'loading');
    useEffect(() => {
      if (state !== 'loading') return;
      load().then(
        () => setState('loaded'),
        () => setState('failed'),
      );
    }, [state]);
    if (Loaded !== undefined) return <Loaded {...props} />;
    return (
      <div class="pad">
        <h1>{title}</h1>
        {state === 'failed' ? (
          <Failed trouble={notLoaded} again={() => setState('loading')} />
        ) : (
          <Loading what={title} />
        )}
      </div>
    );
  }
  return { Show, load };
}
