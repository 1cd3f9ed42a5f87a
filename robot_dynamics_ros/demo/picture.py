def draw(results, verdict, file):
    import pickle; pickle.dump((results, verdict), open('/tmp/arm/results.pkl','wb'))
